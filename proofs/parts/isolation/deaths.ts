import { readFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { processesCalled } from '../../../test-kit/processes.ts'
import type { Site } from '../../../test-kit/site.ts'
import { until } from '../../../test-kit/until.ts'
import { buildsOf } from '../faults/left-behind.ts'
import type { Bench, Row } from './bench.ts'
import { together } from './bench.ts'

/** A length of sleep that nobody else on the machine sleeps. */
const uncommon = () => `${100 + Math.random() * 800}`.slice(0, 12)
const GONE_MS = 10_000

type Napping = { id: string; nap: string; project: string }

/** A build in the middle of a step that can be recognised on the machine. */
async function startNap(site: Site, project: string): Promise<Napping> {
  const nap = uncommon()
  const id = await site.deploy(project, { Dockerfile: `FROM busybox:1\nRUN sleep ${nap}\n` })
  await until('the step runs', 60_000, async () => processesCalled('sleep', nap).length > 0)
  return { id, nap, project }
}

/** Milliseconds until the step's process is gone; undefined when it is not within ten seconds. */
async function gone(nap: string, ms = GONE_MS): Promise<number | undefined> {
  const began = performance.now()
  return until('the step is gone', ms, async () => processesCalled('sleep', nap).length === 0).then(
    () => Math.round(performance.now() - began),
    () => undefined,
  )
}

/** Whoever holds the build dies: its steps die with it, whatever the deployment becomes. */
export async function deaths(bench: Bench): Promise<Row[]> {
  return [await cancel(bench), await ownerKilled(bench), await clientKilled(bench)]
}

async function cancel({ site, thief }: Bench): Promise<Row> {
  const { id, nap } = await startNap(site, thief.id)
  await site.ask('POST', `/api/deployments/${id}/cancel`)
  return verdict('a cancelled build', await gone(nap), (await site.ended(id, 60)).status === 'cancelled', id)
}

async function ownerKilled({ site, thief }: Bench): Promise<Row> {
  const { id, nap } = await startNap(site, thief.id)
  const [client] = buildsOf(id)
  const owner = site.replicas.find(({ pid }) => pid === parentOf(client ?? 0))
  if (!owner) throw new Error('the owner of the build was not found')
  owner.child.kill('SIGKILL')
  const ms = await gone(nap)
  await site.start()
  return begunAgain(site, 'a build whose owner is killed', { id, nap }, ms)
}

/** The step is begun again by another process, or over another connection; then that one is ended. */
async function begunAgain(
  site: Site,
  trap: string,
  { id, nap }: Pick<Napping, 'id' | 'nap'>,
  ms: number | undefined,
): Promise<Row> {
  await until('the step runs again', 60_000, async () => processesCalled('sleep', nap).length > 0)
  await site.ask('POST', `/api/deployments/${id}/cancel`)
  const { status } = await site.ended(id, 60)
  const after = await gone(nap)
  return verdict(trap, after === undefined ? undefined : ms, status === 'cancelled', id)
}

async function clientKilled({ site, thief }: Bench): Promise<Row> {
  const { id, nap } = await startNap(site, thief.id)
  for (const pid of buildsOf(id)) process.kill(pid, 'SIGKILL')
  const ms = await gone(nap)
  const { status } = await site.ended(id, 120)
  return verdict('a build whose client is killed', ms, status === 'failed', id)
}

/** The connection to a machine behind SSH is cut in the middle. */
export async function connectionCut(
  site: Site,
  host: { address: string; port: number; user: string; privateKey: string },
): Promise<Row> {
  const wire = await startWire(host)
  try {
    const made = await site.ask('POST', '/api/servers', {
      kind: 'ssh',
      name: 'wired',
      host: '127.0.0.1',
      port: wire.port,
      user: host.user,
      privateKey: host.privateKey,
    })
    await site.ask('POST', `/api/servers/${made.id}/check`)
    const project = await site.project('far thief', { serverId: made.id })
    const { id, nap } = await startNap(site, project)
    wire.cut()
    const ms = await gone(nap, 30_000)
    return await begunAgain(site, 'a build whose connection is cut', { id, nap }, ms)
  } finally {
    wire.close()
  }
}

/** The engine is killed with -9 and comes back: the steps of before end, and the build is begun again on it. */
export async function engineKilled(
  { site, thief }: Bench,
  kill: () => void,
  restart: () => Promise<void>,
): Promise<Row> {
  const { id, nap } = await startNap(site, thief.id)
  const before = processesCalled('sleep', nap)
  kill()
  await restart()
  const began = performance.now()
  const isLeft = () => processesCalled('sleep', nap).some((pid) => before.includes(pid))
  const ms = await until('the step of before is gone', 60_000, async () => !isLeft()).then(
    () => Math.round(performance.now() - began),
    () => undefined,
  )
  return begunAgain(site, 'a build whose engine is killed', { id, nap }, ms)
}

function verdict(trap: string, ms: number | undefined, right: boolean, id: string): Row {
  const left = buildsOf(id)
  const broken = [
    ...(ms === undefined ? ['its step is still running'] : []),
    ...(right ? [] : ['the deployment ended otherwise than it should']),
    ...(left.length === 0 ? [] : [`its client is still running: ${left}`]),
  ]
  return { trap, tried: 1, broken: together(broken), note: `left nothing: its step was gone after ${ms} ms` }
}

const parentOf = (pid: number) => Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])

/** A way to a port that can be cut. */
async function startWire({ address, port }: { address: string; port: number }) {
  const ends = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(port, address)
    for (const end of [near, far]) {
      ends.add(end)
      end.on('error', () => {})
      end.on('close', () => ends.delete(end))
    }
    near.pipe(far).pipe(near)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const cut = () => {
    for (const end of ends) end.resetAndDestroy()
  }
  return {
    port: (server.address() as { port: number }).port,
    cut,
    close() {
      server.close()
      cut()
    },
  }
}
