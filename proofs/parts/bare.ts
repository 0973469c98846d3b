import { type ChildProcess, fork } from 'node:child_process'
import Fastify from 'fastify'
import pg from 'pg'
import { hashSecret } from '../../server/src/core/access/secrets.ts'
import { findToken } from '../../server/src/core/access/store.ts'
import { list, show } from '../../server/src/core/projects/store.ts'
import type { Pool } from '../../server/src/db/statement.ts'

type Options = { databaseUrl: string; connections: number; orgId: string }
type Sent = { name: string; text: string; values: unknown[] }

export type Bare = { port: number; pid: number; stop(): void }

/** The floor to compare with: Fastify and the two queries that the server sends for the same request, nothing else. */
export async function startBare(options: Options): Promise<Bare> {
  const child: ChildProcess = fork(import.meta.filename, [JSON.stringify(options)])
  process.once('exit', () => child.kill())
  const port = await new Promise<number>((done, fail) => {
    child.once('message', (said) => done(said as number))
    child.once('exit', (code) => fail(new Error(`bare Fastify ended with ${code}`)))
  })
  return { port, pid: child.pid ?? 0, stop: () => child.kill() }
}

async function serve({ databaseUrl, connections, orgId }: Options): Promise<void> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: connections })
  const scope = { orgId, projectId: null, role: 'owner' as const, scopes: null }
  const one = await sentBy((recorder) => show(recorder, scope, 'prj_'))
  const page = await sentBy((recorder) => list(recorder, scope, { limit: 50 }))
  const app = Fastify()
  const authenticate = async (authorization = '') => {
    const values = [hashSecret(authorization.slice('Bearer '.length))]
    const found = await pool.query({ name: 'token', text: findToken.text, values })
    if (found.rowCount !== 1) throw new Error('no such token')
  }
  app.get<{ Params: { id: string } }>('/api/projects/:id', async (request, reply) => {
    await authenticate(request.headers.authorization)
    const { rows } = await pool.query({ ...one, values: [orgId, request.params.id, null] })
    return reply.send(rows)
  })
  app.get('/api/projects', async (request, reply) => {
    await authenticate(request.headers.authorization)
    const { rows } = await pool.query(page)
    return reply.send(rows)
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  process.send?.((app.server.address() as { port: number }).port)
}

/** The statement a store sends, taken from the store itself: the comparison cannot fall behind. */
async function sentBy(ask: (pool: Pool) => Promise<unknown>): Promise<Sent> {
  const sent: Sent[] = []
  const recorder = {
    query: async (query: Sent) => {
      sent.push(query)
      return { rows: [] }
    },
  }
  await ask(recorder as unknown as Pool)
  const [first] = sent
  if (!first || sent.length > 1) throw new Error(`expected one statement, ${sent.length} were sent`)
  return first
}

if (import.meta.main) await serve(JSON.parse(process.argv[2] ?? '{}'))
