import { labPart } from '../lab/ask.ts'
import { chosen } from './ledger/sizes.ts'
import { startGitHost } from './parts/git-host.ts'
import { app, GOOD, openSite } from './parts/site.ts'
import { openBench } from './parts/truth/bench.ts'
import { buildCases } from './parts/truth/builds.ts'
import type { Case } from './parts/truth/case.ts'
import { gitCases, TOKEN } from './parts/truth/git.ts'
import { goodCases } from './parts/truth/good.ts'
import { imageCases } from './parts/truth/images.ts'
import { outsideCases } from './parts/truth/outside.ts'
import { rolloutCases } from './parts/truth/rollouts.ts'
import { serverCases } from './parts/truth/servers.ts'

export const claim =
  'Whatever goes wrong with a deployment, its status, code, hint and line of the log are right, and the release before it serves.'
export const quick = false

/** They mostly wait; more at once and two processors would make healthy services look ill. */
const AT_ONCE = 4
/** The rollout cases of the probe that no request of the API can bring about: the runtime driver's own test has them. */
const IN_THE_DRIVER = [
  'create port taken by a process',
  'create port taken by a service',
  'update good to crash 5 s, monitor 2 s',
  'update good to exit, action pause',
  'update good to exit, stop-first',
]
const PROBED = 27

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const gitHost = await startGitHost({ token: TOKEN })
  gitHost.commit('app', app(GOOD))
  const site = await openSite({ name: 'truth', env: { SLIPWAY_GIT_CA_FILE: gitHost.caFile } })
  const began = performance.now()
  try {
    await site.start()
    const bench = openBench(site, await site.addLocalServer())
    const all = [
      ...rolloutCases,
      ...goodCases,
      ...outsideCases,
      ...buildCases,
      ...gitCases(gitHost),
      ...imageCases(labPart('registry').address),
      ...serverCases,
    ]
    // A part of a name, while one works on a case.
    const wanted = chosen('SLIPWAY_TRUTH_CASE')
    const cases = wanted === undefined ? all : all.filter(({ name }) => name.includes(wanted))
    const wrong = await runAll(cases, (one, slug) => one.run(bench, slug))
    const probed = new Set(cases.flatMap(({ probe }) => probe ?? []))
    const covered = probed.size + IN_THE_DRIVER.length
    const seconds = ((performance.now() - began) / 1000).toFixed(0)
    const { asked, gapMs } = bench.visits
    const meanwhile = `${asked} requests meanwhile, none lost but to versions that had been up (back within ${(gapMs / 1000).toFixed(1)} s)`
    const ofProbe = `${probed.size} of them from the ${PROBED} of the rollout probe, the other ${IN_THE_DRIVER.length} stay in the driver's own test`
    return {
      ok: wrong === 0 && (wanted !== undefined || covered === PROBED),
      figure: `${cases.length - wrong} of ${cases.length} cases right, ${ofProbe}; ${meanwhile}; ${seconds} s`,
    }
  } finally {
    await site.close()
    gitHost.close()
  }
}

type Run = (one: Case, slug: string) => Promise<string[]>

/** How many are wrong; each is told as it ends. */
async function runAll(cases: Case[], run: Run): Promise<number> {
  const queue = cases.map((one, index) => ({ one, slug: `case-${index + 1}` }))
  let wrong = 0
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const { one, slug } = next
      const began = performance.now()
      const complaints = await run(one, slug).catch((error: Error) => [`it broke: ${error.message}`])
      const took = `${((performance.now() - began) / 1000).toFixed(1)} s`
      console.log(`  ${complaints.length === 0 ? 'right' : 'WRONG'}  ${one.name} (${took})`)
      for (const complaint of complaints) console.log(`         ${complaint}`)
      if (complaints.length > 0) wrong++
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return wrong
}
