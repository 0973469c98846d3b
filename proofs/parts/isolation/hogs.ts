import { until } from '../../../test-kit/until.ts'
import { visit } from '../../../test-kit/visit.ts'
import type { Bench, Row } from './bench.ts'
import { linesOf, together } from './bench.ts'
import { processesOf } from './beside.ts'

/** What the server's own limits for a build are; a step gets up to here and no further. */
const MOST = { memoryMb: 2048, processes: 2048 }
/** Another project's visitors while someone does the worst to the machine. */
const SANE_MS = 1000
const GONE_MS = 10_000

const MEMORY = `FROM node:24-slim
RUN node -e "const all = []; for (let n = 1; n <= 64; n++) { all.push(Buffer.alloc(64 << 20, 1)); console.log('held ' + n * 64) }"
`
const PROCESSES = `FROM busybox:1
RUN n=0; while [ $n -lt 5000 ]; do sleep 30 & n=$((n+1)); echo held $n; done
`
const BOMB = `FROM busybox:1
RUN bomb() { bomb | bomb & }; bomb; sleep 60
`
const LOOP = `FROM busybox:1
RUN for n in 1 2 3 4 5 6 7 8; do (while :; do :; done) & done; sleep 60
`

/** Steps that take all they can get: they are ended at their limit, or by a cancel, and the neighbour does not feel it. */
export async function hogs(bench: Bench): Promise<Row[]> {
  return [
    await limited(bench, '4 GB of memory in RUN', MEMORY, MOST.memoryMb),
    await limited(bench, '5,000 processes in RUN', PROCESSES, MOST.processes),
    await cancelled(bench, 'a fork bomb in RUN', BOMB, 5000),
    await cancelled(bench, 'eight busy loops in RUN', LOOP, 8000),
  ]
}

async function limited(bench: Bench, trap: string, dockerfile: string, most: number): Promise<Row> {
  const neighbour = startNeighbour(bench)
  const { status, error, lines } = await bench.build(bench.thief, { Dockerfile: dockerfile })
  const held = Math.max(0, ...lines.map((line) => Number(/^held (\d+)$/.exec(line)?.[1] ?? 0)))
  const felt = await neighbour.stop()
  const broken = [
    ...(status === 'failed' && error?.step === 'build' ? [] : [`it ended as ${status} ${error?.code ?? ''}`]),
    ...(held > 0 && held <= most ? [] : [`it got ${held}, not at most ${most}`]),
    ...felt.broken,
  ]
  const note = `was stopped at ${held} (limit ${most}): ${error?.message}; ${felt.figure}`
  return { trap, tried: 1, broken: together(broken), note }
}

async function cancelled(bench: Bench, trap: string, dockerfile: string, afterMs: number): Promise<Row> {
  const { site, thief } = bench
  const neighbour = startNeighbour(bench)
  const id = await site.deploy(thief.id, { Dockerfile: dockerfile })
  await until('its step runs', 60_000, async () => processesOf(thief.id) > 1)
  let most = 0
  const end = Date.now() + afterMs
  while (Date.now() < end) {
    most = Math.max(most, processesOf(thief.id))
    await new Promise((done) => setTimeout(done, 250))
  }
  const began = performance.now()
  await site.ask('POST', `/api/deployments/${id}/cancel`)
  const { status } = await site.ended(id, 60)
  const left = await until('nothing is left', GONE_MS, async () => processesOf(thief.id) === 0).then(
    () => 0,
    () => processesOf(thief.id),
  )
  const took = ((performance.now() - began) / 1000).toFixed(1)
  const felt = await neighbour.stop()
  const broken = [
    ...(status === 'cancelled' ? [] : [`it ended as ${status}`]),
    ...(most <= MOST.processes ? [] : [`it had ${most} processes`]),
    ...(left === 0 ? [] : [`${left} processes are left`]),
    ...felt.broken,
  ]
  return {
    trap,
    tried: 1,
    broken: together(broken),
    note: `was held to ${most} processes and gone ${took} s after a cancel; ${felt.figure}`,
  }
}

/** Asks for the owner's page twenty times a second. */
function startNeighbour({ site, owner }: Bench) {
  const over = new AbortController()
  const times: number[] = []
  let failed = 0
  const at = { address: site.engine.address, port: site.httpPort }
  const ask = async () => {
    const answer = await visit(at, site.host(owner.name)).catch(() => undefined)
    if (answer?.status === 200) times.push(answer.ms)
    else failed++
  }
  const loop = (async () => {
    const asked: Promise<void>[] = []
    while (!over.signal.aborted) {
      asked.push(ask())
      await new Promise((done) => setTimeout(done, 50))
    }
    await Promise.all(asked)
  })()
  return {
    async stop() {
      over.abort()
      await loop
      const sorted = times.sort((a, b) => a - b)
      const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? 0
      const broken =
        failed > 0 || p99 > SANE_MS ? [`the neighbour felt it: ${failed} failed, p99 ${Math.round(p99)} ms`] : []
      return {
        broken,
        figure: `the neighbour's ${sorted.length} requests took ${Math.round(p99)} ms (p99), ${failed} failed`,
      }
    },
  }
}

/** A line for each of 200,000. */
export async function manyLines(bench: Bench): Promise<Row> {
  const count = 200_000
  const { id } = await bench.build(bench.thief, { Dockerfile: `FROM busybox:1\nRUN seq 1 ${count}\nRUN exit 7\n` })
  const numbers = (await linesOf(bench.site, id)).filter((line) => /^\d+$/.test(line)).map(Number)
  const right = numbers.length === count && numbers.every((number, n) => number === n + 1)
  const broken = right ? [] : [`${numbers.length} lines arrived`]
  return { trap: `${count} printed lines`, tried: 1, broken, note: `arrived as ${numbers.length} lines in their order` }
}
