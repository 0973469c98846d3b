import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError, send } from './answer.ts'
import { gitRequestOf, serveRepository } from './git/serve.ts'
import type { Host } from './model.ts'
import { answerApi, apiPathOf } from './rest/answer-api.ts'
import { answerPage } from './web/answer-page.ts'

const UNICORN =
  '<html><body><h1>Unicorn!</h1><p>We had issues producing the response to your request.</p></body></html>'
const MOST_REQUESTS = 20_000

/** One door for the API, the pages and git; the faults stand before it. */
export async function handleRequest(host: Host, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { faults } = host
  if (faults.outage) return void request.socket.destroy()
  const url = new URL(request.url ?? '/', `https://${request.headers.host ?? host.name}`)
  const isMeant = faults.only === '' || new RegExp(faults.only).test(url.pathname)
  if (isMeant && faults.latencyMs > 0) await new Promise((next) => setTimeout(next, faults.latencyMs))
  const gitRequest = gitRequestOf(url)
  if (gitRequest) {
    response.once('finish', () => note(host, request, url, response.statusCode, 'git'))
    return serveRepository(host, gitRequest, request, response)
  }
  if (isMeant && host.dice.hits(faults.errorShare)) {
    note(host, request, url, faults.errorStatus, 'fault')
    return send(response, { status: faults.errorStatus, text: UNICORN, headers: { 'content-type': 'text/html' } })
  }
  const asked = apiPathOf(url)
  const { answer, actor } = asked
    ? await answerApi(host, request, url, asked)
    : { answer: await answerPage(host, request, url), actor: 'page' }
  note(host, request, url, answer.status, actor)
  send(response, answer)
}

/** What goes wrong here is a bug of the lab: it is printed, and the client sees 500. */
export function answerBug(error: unknown, response: ServerResponse): void {
  const refused = error instanceof ApiError ? error : null
  if (!refused) console.error(error)
  if (response.headersSent) response.destroy()
  else send(response, { status: refused?.status ?? 500, text: refused?.message ?? 'error' })
}

function note({ requests }: Host, { method = '' }: IncomingMessage, url: URL, status: number, actor: string): void {
  const query = url.search.replace(/(code|token|secret|verifier)=[^&]+/g, '$1=…')
  requests.push({ at: Date.now(), method, path: url.pathname + query, status, actor })
  if (requests.length > MOST_REQUESTS) requests.splice(0, MOST_REQUESTS / 2)
}
