import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStage } from './parts/dashboard/stage.ts'
import { untold } from './parts/dashboard/watch.ts'
import * as ways from './parts/dashboard/ways.ts'

export const claim =
  'Somebody comes from the setup link to an address, through a failure, a decision, a way back and a name, with the server killed five times, and the page never says what the API did not.'
export const kind = 'story'
export const quick = false

const KILLS = 5

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const stage = await openStage()
  const began = performance.now()
  const wrong: string[] = []
  let checks = 0
  const check: ways.Check = (ok, words) => {
    checks++
    console.log(`  ${ok ? 'right' : 'WRONG'} ${words}`)
    if (!ok) wrong.push(words)
  }
  try {
    await ways.comesIn(stage, check)
    const first = await ways.dropsFolder(stage, check)
    await ways.failsToBuild(stage, check)
    await ways.decides(stage, check)
    await ways.goesBack(stage, first, check)
    await ways.namesIt(stage, check)
    await ways.handsOut(stage, check)
  } catch (error) {
    check(false, (error as Error).message)
    const path = join(tmpdir(), 'slipway-dashboard-proof.png')
    await stage.page.screenshot({ path }).catch(() => {})
    console.log(`  what was seen then: ${path}`)
  }
  const lies = untold(stage.watch.seen, stage.front.told)
  for (const one of [...lies, ...stage.faults].slice(0, 10)) console.log(`  WRONG ${one}`)
  check(stage.kills() === KILLS, `the server was killed ${stage.kills()} times`)
  await stage.close()
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  return {
    ok: wrong.length === 0 && lies.length === 0 && stage.faults.length === 0,
    figure: [
      `${checks} checks, ${wrong.length} wrong, from the setup link to the activity in ${seconds} s with ${stage.kills()} kills of the server`,
      `${stage.watch.looks()} looks at the state on the page, every 50 ms: ${lies.length} that the API had not given`,
      `${stage.faults.length} violations of the policy or errors of the page`,
      `load average ${loadavg()[0]?.toFixed(1)}`,
    ].join('; '),
  }
}
