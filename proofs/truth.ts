import { labPart } from '../lab/ask.ts'
import { startGitHost } from '../test-kit/git-host.ts'
import { app, GOOD } from '../test-kit/sample-app.ts'
import { openSite } from '../test-kit/site.ts'
import { chosen } from './ledger/sizes.ts'
import { openBench } from './parts/truth/bench.ts'
import { buildCases } from './parts/truth/builds.ts'
import type { Case } from './parts/truth/case.ts'
import { gitCases, TOKEN } from './parts/truth/git.ts'
import { goodCases } from './parts/truth/good.ts'
import { imageCases } from './parts/truth/images.ts'
import { outsideCases } from './parts/truth/outside.ts'
import { publishedCases } from './parts/truth/published.ts'
import { rolloutCases } from './parts/truth/rollouts.ts'
import { serverCases } from './parts/truth/servers.ts'

export const claim =
  'Whatever goes wrong with a deployment, its status, code, hint and line of the log are right, and the release before it serves.'
export const kind = 'story'
export const quick = false

/** They mostly wait; more at once and two processors would make healthy services look ill. */
const AT_ONCE = 4
/** Of the rollout probe's 27, two are about settings of the engine (how long it watches, that it pauses) that nobody can ask for. */
const PROBED = 25

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
      ...publishedCases,
    ]
    // A part of a name, while one works on a case.
    const wanted = chosen('SLIPWAY_TRUTH_CASE')
    const cases = wanted === undefined ? all : all.filter(({ name }) => name.includes(wanted))
    const wrong = await runAll(cases, (one, slug) => one.run(bench, slug))
    const probed = new Set(cases.flatMap(({ probe }) => probe ?? []))
    const seconds = ((performance.now() - began) / 1000).toFixed(0)
    const { asked, gapMs } = bench.visits
    const meanwhile = `${asked} requests meanwhile, none lost but to versions that had been up (back within ${(gapMs / 1000).toFixed(1)} s)`
    const ofProbe = `${probed.size} of them the ${PROBED} of the rollout probe that a request can bring about`
    return {
      ok: wrong === 0 && (wanted !== undefined || probed.size === PROBED),
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
