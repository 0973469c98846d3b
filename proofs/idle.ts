import { labPart } from '../lab/ask.ts'
import { bootstrap, type RunningServer, startServer } from '../test-kit/built-server.ts'
import { createDatabase } from '../test-kit/database.ts'

export const claim =
  'An idle server with its defaults and an engine takes at most 150 MB a minute after its start, and a start at most 3 s.'
export const kind = 'figure'
export const quick = false

const MOST_MB = 150
const MOST_MS = 3000
const IDLE_MS = 60_000
const STARTS = 5
/** What other proofs set apart is here as it comes. */
const DEFAULTS = {
  SLIPWAY_ACME_DIRECTORY: undefined,
  SLIPWAY_RATE_PER_ADDRESS: undefined,
  SLIPWAY_RATE_PER_TOKEN: undefined,
  SLIPWAY_STREAMS_PER_TOKEN: undefined,
  SLIPWAY_RATE_PER_LINK: undefined,
  SLIPWAY_STREAMS_PER_LINK: undefined,
  SLIPWAY_ALLOWED_NETWORKS: undefined,
}

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const database = await createDatabase({ migrated: false })
  const { socket, buildx } = labPart('engine')
  const env = { ...DEFAULTS, SLIPWAY_DOCKER_SOCKET: socket, SLIPWAY_BUILDX: buildx }
  const start = () => startServer({ databaseUrl: database.url, env })
  try {
    const fresh = await stopped(await start())
    console.log(`  first start, on an empty database: ready after ${seconds(fresh)}`)
    const starts: number[] = []
    for (let n = 0; n < STARTS; n++) starts.push(await stopped(await start()))
    console.log(`  ${STARTS} starts on a migrated database: ${starts.map(seconds).join(', ')}`)
    const server = await start()
    await addEngine(server, database.url)
    const mb = await afterIdling(server)
    await server.stop()
    const slowest = Math.max(...starts, fresh)
    return {
      ok: mb <= MOST_MB && slowest <= MOST_MS,
      figure:
        `${mb.toFixed(0)} MB after ${IDLE_MS / 1000} s idle with an engine (at most ${MOST_MB}); slowest of ` +
        `${STARTS + 1} starts ${seconds(slowest)} (at most ${seconds(MOST_MS)}), on an empty database ${seconds(fresh)}`,
    }
  } finally {
    await database.drop()
  }
}

async function addEngine(server: RunningServer, databaseUrl: string): Promise<void> {
  const { token } = await bootstrap(databaseUrl)
  const answer = await fetch(`${server.url}/api/servers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'local', name: 'here' }),
    signal: AbortSignal.timeout(60_000),
  })
  if (!answer.ok) throw new Error(`the engine was not added: ${answer.status} ${await answer.text()}`)
}

async function stopped(server: RunningServer): Promise<number> {
  await server.stop()
  return server.startMs
}

/** The time itself is what is claimed here, so this waits for it, and looks on the way. */
async function afterIdling(server: RunningServer): Promise<number> {
  const until = performance.now() + IDLE_MS
  while (performance.now() < until) {
    console.log(`  idle: ${server.rssMb().toFixed(0)} MB, at most so far ${server.peakRssMb().toFixed(0)} MB`)
    await new Promise((done) => setTimeout(done, Math.min(20_000, until - performance.now())))
  }
  return server.rssMb()
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`
