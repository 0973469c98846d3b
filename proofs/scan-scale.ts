import { readFileSync } from 'node:fs'
import type { MigrationStack } from '@slipway/contract/migration-shape'
import { labPart } from '../lab/ask.ts'
import { daemonCalled } from '../lab/group.ts'
import { hostKeyOfLine } from '../server/src/drivers/ssh/host-key.ts'
import { openSite } from '../test-kit/site.ts'
import { until } from '../test-kit/until.ts'
import { size } from './ledger/sizes.ts'
import { farAway, makeMany, removeMany } from './parts/migration/many.ts'

export const claim =
  'a scan of 500 containers takes less than 15 s, near and 80 ms away, in little memory; 10,000 are told; one that stops in the middle ends at its deadline'
export const kind = 'figure'
export const quick = false

const HOST = 'host2'
const MOST_SECONDS = 15
const MOST_MB = 250
const ONE_WAY_MS = 40
const SHOWN = 2000
const ENGINE_SECONDS = 40
const MANY = size('SLIPWAY_SCAN_MANY', 10_000)

type Scan = { status: number; seconds: number; body: { stack: MigrationStack; error?: string } }

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const { socket, address, port, user, keyFile, hostKeyFile } = labPart(HOST)
  const site = await openSite({ name: 'scanscale' })
  const far = await farAway(address, port, ONE_WAY_MS)
  const wrong: string[] = []
  try {
    const server = await site.start()
    const add = async (name: string, to: object) => {
      const login = {
        user,
        privateKey: readFileSync(keyFile, 'utf8'),
        hostKey: hostKeyOfLine(readFileSync(hostKeyFile, 'utf8')),
      }
      return (await site.ask('POST', '/api/servers', { kind: 'ssh', name, ...login, ...to })).id as string
    }
    const near = await add('near', { host: address, port })
    const away = await add('away', { host: '127.0.0.1', port: far.port })
    const scan = async (serverId: string): Promise<Scan> => {
      const begin = performance.now()
      const { status, body } = await site.call('POST', '/api/migration/scan', { serverId })
      return { status, body, seconds: (performance.now() - begin) / 1000 }
    }
    const judge = (what: string, { status, seconds, body }: Scan, most: number) => {
      console.log(`  ${what}: ${status} in ${seconds.toFixed(1)} s, peak ${server.peakRssMb().toFixed(0)} MB`)
      if (status !== 200) wrong.push(`${what}: ${status} ${body.error}`)
      if (seconds > most) wrong.push(`${what}: ${seconds.toFixed(1)} s`)
    }
    await scan(near)
    await makeMany(socket, 0, 500)
    const [here, there] = [await scan(near), await scan(away)]
    judge('500 containers, near', here, MOST_SECONDS)
    judge(`500 containers, ${2 * ONE_WAY_MS} ms away`, there, MOST_SECONDS)
    const memory = server.peakRssMb()
    if (memory > MOST_MB) wrong.push(`${memory.toFixed(0)} MB`)
    wrong.push(...(await hung(scan, away, far.open)))

    await makeMany(socket, 500, MANY)
    const all = await scan(near)
    judge(`${MANY} containers`, all, 60)
    const told = all.body.stack?.warnings.some((line) => line.includes(`newest ${SHOWN} are shown`))
    if (MANY > SHOWN && !told) wrong.push('that not all are shown is not told')
    const figure = `500 containers: ${here.seconds.toFixed(1)} s near, ${there.seconds.toFixed(1)} s at ${2 * ONE_WAY_MS} ms (under ${MOST_SECONDS}), ${memory.toFixed(0)} MB at most (under ${MOST_MB}); of ${MANY} the newest ${SHOWN} in ${all.seconds.toFixed(1)} s, and told; an engine that stops in the middle: 502 at the deadline, nothing left open; ${wrong.length} faults`
    return { ok: wrong.length === 0, figure }
  } finally {
    far.close()
    await removeMany(socket)
    await site.close()
  }
}

/** Stopped while it answers; whoever waits hears of it when its time is over. */
async function hung(scan: (id: string) => Promise<Scan>, serverId: string, open: () => number): Promise<string[]> {
  const pid = daemonCalled(HOST, 'dockerd') ?? 0
  const before = open()
  const asked = scan(serverId)
  await until('it has connected', 10_000, async () => open() > before, { everyMs: 300 })
  await new Promise((later) => setTimeout(later, 1500))
  process.kill(pid, 'SIGSTOP')
  try {
    const { status, seconds, body } = await asked
    console.log(`  stopped in the middle: ${status} after ${seconds.toFixed(1)} s: ${body.error}`)
    await until('the connection is closed', 10_000, async () => open() <= before, { everyMs: 300 })
    const isRight =
      status === 502 && /did not answer within \d+ s/.test(body.error ?? '') && seconds < ENGINE_SECONDS + 10
    return isRight ? [] : [`stopped in the middle: ${status} after ${seconds.toFixed(1)} s: ${body.error}`]
  } finally {
    process.kill(pid, 'SIGCONT')
  }
}
