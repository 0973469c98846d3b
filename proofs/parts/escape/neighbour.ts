import { fork } from 'node:child_process'
import { setPriority } from 'node:os'
import { visit } from '../../../test-kit/visit.ts'
import type { Stage } from './stage.ts'

export type Felt = { asked: number; failed: number; p50: number; p99: number; worst: number }
type Wanted = { address: string; port: number; host: string; expect: string; count: number; everyMs: number }

const COUNT = 650
const EVERY_MS = 10
const DEADLINE_MS = 120_000
/** The engine and the control plane must answer within this. */
const HOST_MS = 5000

/** What the victim's visitors feel: 650 requests through the edge in at least 6.5 s, each on a connection of its own. */
export function feel({ site, ground, victim }: Stage): Promise<Felt> {
  const at = { address: ground.engine.address, port: site.httpPort, host: victim.host, expect: 'victim answers' }
  const child = fork(import.meta.filename)
  return new Promise<Felt>((done, fail) => {
    const late = setTimeout(() => fail(new Error('the neighbour’s visits did not end')), DEADLINE_MS)
    child.on('error', fail)
    child.once('message', (felt: Felt) => {
      clearTimeout(late)
      done(felt)
    })
    child.send({ ...at, count: COUNT, everyMs: EVERY_MS } satisfies Wanted)
  }).finally(() => child.kill())
}

/** How long the engine and the control plane take to answer, in ms; nothing within the deadline is infinite. */
export async function hostAnswers({ ground, site }: Stage): Promise<{ ping: number; list: number; ready: number }> {
  const took = async (ask: () => Promise<unknown>): Promise<number> => {
    const began = performance.now()
    const late = new Promise((_, fail) => setTimeout(fail, HOST_MS, new Error('late')).unref())
    return Promise.race([ask(), late]).then(
      () => performance.now() - began,
      () => Number.POSITIVE_INFINITY,
    )
  }
  const ready = async () => {
    const { ok } = await fetch(`${site.base()}/readyz`, { signal: AbortSignal.timeout(HOST_MS) })
    if (!ok) throw new Error('not ready')
  }
  const [ping, list, readyz] = await Promise.all([
    took(() => ground.api.ping()),
    took(() => ground.api.listContainers({ all: true })),
    took(ready),
  ])
  return { ping, list, ready: readyz }
}

async function measure({ address, port, host, expect, count, everyMs }: Wanted): Promise<Felt> {
  // A visitor has a machine of their own: theirs is not what is measured.
  setPriority(-10)
  const times: number[] = []
  let failed = 0
  const one = async () => {
    const answer = await visit({ address, port }, host).catch(() => undefined)
    if (answer?.status === 200 && answer.text.includes(expect)) times.push(answer.ms)
    else failed += 1
  }
  const asked: Promise<void>[] = []
  for (let n = 0; n < count; n += 1) {
    asked.push(one())
    await new Promise((next) => setTimeout(next, everyMs))
  }
  await Promise.all(asked)
  times.sort((a, b) => a - b)
  const at = (share: number) =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.POSITIVE_INFINITY
  return { asked: count, failed, p50: at(0.5), p99: at(0.99), worst: at(1) }
}

if (import.meta.main) {
  process.on('message', (wanted: Wanted) => {
    measure(wanted).then((felt) => process.send?.(felt))
  })
}
