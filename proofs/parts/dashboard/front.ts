import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** What the API said of a deployment, when it passed by. */
export type Told = { at: number; id: string; word: string }

/**
 * Between the browser and the server: passes everything on and writes down what the API says of deployments. Where the server is gone the
 * connection is cut, as it would be without anybody in between.
 */
export async function openFront(target: () => number) {
  const told: Told[] = []
  const server = createServer((from, to) => pass(from, to, target(), told))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    told,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

function pass(from: IncomingMessage, to: ServerResponse, port: number, told: Told[]): void {
  const options = { host: '127.0.0.1', port, method: from.method, path: from.url, headers: from.headers }
  const onward = request({ ...options, headers: { ...from.headers, 'accept-encoding': 'identity' } }, (answer) => {
    answer.on('error', () => to.destroy())
    to.writeHead(answer.statusCode ?? 502, answer.headers)
    const isJson = answer.headers['content-type']?.startsWith('application/json') && from.url?.startsWith('/api/')
    if (!isJson) return answer.pipe(to)
    // Written down before the browser has any of it.
    return buffer(answer).then(
      (body) => {
        note(body.toString(), told)
        to.end(body)
      },
      () => to.destroy(),
    )
  })
  onward.on('error', () => to.destroy())
  to.on('close', () => onward.destroy())
  from.pipe(onward)
}

function note(text: string, told: Told[]): void {
  const at = Date.now()
  for (const one of deploymentsIn(JSON.parse(text))) told.push({ at, id: one.id, word: wordOf(one) })
}

type Deployment = { id: string; status: string } & Record<'active' | 'decision' | 'waitingOn' | 'unknown', unknown>

function deploymentsIn(body: unknown): Deployment[] {
  if (Array.isArray(body)) return body.flatMap(deploymentsIn)
  if (typeof body !== 'object' || body === null) return []
  const one = body as Deployment & { data?: unknown }
  if (typeof one.id === 'string' && one.id.startsWith('dep_') && typeof one.status === 'string') return [one]
  return deploymentsIn(one.data)
}

const WORDS: Record<string, string> = {
  queued: 'Queued',
  building: 'Building',
  deploying: 'Deploying',
  ready: 'Ready',
  failed: 'Failed',
  cancelled: 'Cancelled',
  partial_failure: 'Kept in part',
  rejected: 'Put back',
  superseded: 'Superseded',
}

/** What somebody who reads the API would say; written apart from the dashboard's own table on purpose. */
function wordOf({ status, active, decision, waitingOn, unknown }: Deployment): string {
  if ((waitingOn as { kind?: string } | null)?.kind === 'prompt') return 'Needs approval'
  if (decision === 'pending') return 'Action required'
  if (active && unknown) return 'Not known'
  if (active) return decision === 'kept' ? 'Live in part' : 'Live'
  return WORDS[status] ?? status
}
