import { createHash } from 'node:crypto'
import { get, type IncomingMessage } from 'node:http'
import { until } from '../../../test-kit/until.ts'
import { size } from '../../ledger/sizes.ts'
import { readStream } from '../event-reader.ts'
import type { LoadProcess } from '../load.ts'
import { deployThere, type Ground, know } from './ground.ts'
import { portOf } from './speed.ts'

const STREAMS = size('SLIPWAY_FORWARD_STREAMS', 200)
const MOST_ADDED_MB = 100
const MOST_ADDED_MS = 10
const SECONDS = 25
/** Of one line a tenth of a second: that it is slow is what keeps the streams open meanwhile. */
const DOCKERFILE = `FROM busybox:1\nRUN n=0; while [ $n -lt ${SECONDS * 10} ]; do echo line $n; n=$((n+1)); sleep 0.1; done\nRUN exit 4\n`

type Reader = { begun: boolean; over: boolean; status: number; events: number; digest: string; leave(): void }

/** Many follow one build through the instance at once: all see the same, it costs little memory, and others wait no longer. */
export async function followTogether(ground: Ground, load: LoadProcess): Promise<{ said: string; faults: string[] }> {
  const { cloud, own } = ground
  const here = { port: portOf(own.base()), token: own.token, path: '/api/projects?limit=20', connections: 1, ms: 3000 }
  await load.run(here)
  const before = await load.run(here)
  const id = await deployThere(ground, 'many', DOCKERFILE)
  await know(ground, id)
  await until('it prints', 60_000, async () => (await cloud.show(id)).status === 'building' || undefined)
  const replica = own.replicas.at(-1)
  const idleMb = replica?.rssMb() ?? 0
  const readers = Array.from({ length: STREAMS }, () => follow(own.base(), own.token, id))
  try {
    await until('all are open', 20_000, () => readers.every(({ begun }) => begun) || undefined)
    const during = await load.run(here)
    const openThen = readers.filter(({ over }) => !over).length
    const mb = (replica?.rssMb() ?? 0) - idleMb
    await until('all have ended', 120_000, () => readers.every(({ over }) => over) || undefined)
    const direct = await readStream(cloud.base(), cloud.token, id)
    const expected = digestOf(direct.map(({ seq, type, data }) => `${seq} ${type} ${JSON.stringify(data)}`))
    const alike = readers.filter((one) => one.digest === expected && one.events === direct.length).length
    const addedMs = during.p50Ms - before.p50Ms
    const faults = [
      ...(alike === STREAMS ? [] : [`${STREAMS - alike} of ${STREAMS} streams were not those of the cloud`]),
      ...(openThen === STREAMS ? [] : [`only ${openThen} streams were open while others were measured`]),
      ...(mb <= MOST_ADDED_MB ? [] : [`${mb.toFixed(0)} MB more for ${STREAMS} streams`]),
      ...(addedMs <= MOST_ADDED_MS && during.refused === 0 ? [] : [`others waited ${addedMs.toFixed(1)} ms longer`]),
    ]
    return {
      faults,
      said: `${STREAMS} streams at once: ${alike} with the same ${direct.length} events as at the cloud, ${mb.toFixed(0)} MB more (bar ${MOST_ADDED_MB}), a local call ${addedMs.toFixed(1)} ms longer at p50 (bar ${MOST_ADDED_MS})`,
    }
  } finally {
    for (const reader of readers) reader.leave()
  }
}

const digestOf = (lines: string[]) => createHash('sha256').update(lines.join('\n')).digest('base64')

/** A connection of its own, and no more kept of it than what it saw. */
function follow(base: string, token: string, id: string): Reader {
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
  const asked = get(`${base}/api/deployments/${id}/stream`, { agent: false, headers })
  const reader: Reader = {
    ...{ begun: false, over: false, status: 0, events: 0, digest: '' },
    leave: () => asked.destroy(),
  }
  asked.on('error', () => {
    reader.over = true
  })
  asked.on('response', (answer) => void read(reader, answer))
  return reader
}

async function read(reader: Reader, answer: IncomingMessage): Promise<void> {
  reader.status = answer.statusCode ?? 0
  const lines: string[] = []
  let rest = ''
  try {
    for await (const text of answer.setEncoding('utf8')) {
      const blocks = (rest + text).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const [, seq, type, data] = /^id: (.*)\nevent: (.*)\ndata: (.*)$/m.exec(block) ?? []
        if (seq !== undefined) lines.push(`${seq} ${type} ${JSON.stringify(JSON.parse(data ?? '{}'))}`)
      }
      reader.begun ||= lines.length > 0
    }
  } catch {
    // Left, or broken: what it saw tells.
  }
  reader.events = lines.length
  reader.digest = digestOf(lines)
  reader.over = true
}
