import { semaphore } from '../server/src/core/semaphore.ts'
import { daily } from './parts/destinations/background.ts'
import { type Case, type Outcome, tryCase } from './parts/destinations/case.ts'
import { type Ground, openGround } from './parts/destinations/ground.ts'
import { localCases, serverCases, storedCases } from './parts/destinations/here-cases.ts'
import { journeys, travel } from './parts/destinations/journeys.ts'
import { killed } from './parts/destinations/killed.ts'
import { leftovers } from './parts/destinations/leftovers.ts'
import { s3Cases } from './parts/destinations/s3-cases.ts'
import { sftpCases } from './parts/destinations/sftp-cases.ts'

export const claim =
  'a backup destination says within 20 seconds whether it works, and if it does not, which step failed and what to do'
export const kind = 'story'
export const quick = false

const FEWEST = 25
const AT_ONCE = 4

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const ground = await openGround()
  try {
    const faults: string[] = []
    const note = (what: string, found: string[]) => {
      console.log(`  ${found.length === 0 ? 'right' : 'WRONG'}  ${what}`)
      for (const each of found) console.log(`         ${each}`)
      faults.push(...found)
    }
    const ways = await journeys(ground)
    for (const way of ways) note(`${way.kind}: made, changed, broken, mended, deleted`, await travel(ground, way))
    const looked = daily(ground)
    looked.catch(() => {})
    const outcomes = await tryAll(ground, note)
    note('a process that is killed in the middle', await killed(ground))
    note('the daily check: broken and mended while nobody looked', await looked)
    note('nothing is left anywhere', leftovers(ground.aside, ground.sftp.home))
    const slowest = Math.max(...outcomes.map(({ ms }) => ms))
    const distinct = new Set(outcomes.map(({ reason }) => reason.replace(/probe-[\w-]+/, 'probe'))).size
    const ok = faults.length === 0 && outcomes.length >= FEWEST && ways.length === 4
    const figure = `${ways.length} kinds made, changed, broken and mended over HTTP; ${outcomes.length} misconfigurations (at least ${FEWEST}), each 200 with the step and what to do, ${distinct} different reasons, the slowest after ${(slowest / 1000).toFixed(1)} s of 20; what a killed process left was taken away, and the daily check found what broke; ${faults.length} faults`
    return { ok, figure }
  } finally {
    await ground.close()
  }
}

async function tryAll(ground: Ground, note: (what: string, found: string[]) => void): Promise<Outcome[]> {
  const bucket = await ground.s3.make()
  const cases = [
    ...(await s3Cases(ground)),
    ...(await sftpCases(ground)),
    ...(await localCases(ground)),
    ...(await serverCases(ground)),
    ...storedCases(ground, bucket.name),
  ]
  const withPermit = semaphore(AT_ONCE)
  const attempt = async (one: Case) => {
    const outcome = await tryCase(ground, one)
    note(`${one.title} (${(outcome.ms / 1000).toFixed(1)} s): ${outcome.reason}`, outcome.faults)
    return outcome
  }
  return Promise.all(cases.map((one) => withPermit(() => attempt(one))))
}
