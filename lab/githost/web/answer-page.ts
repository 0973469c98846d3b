import type { IncomingMessage } from 'node:http'
import { type Answer, noPage, readBody } from '../answer.ts'
import type { Host } from '../model.ts'
import { accessToken, authorize } from './authorize.ts'
import { beginDevice, devicePage } from './device.ts'
import { installPage } from './install.ts'
import { registerApp } from './manifest.ts'
import { signIn, type Visit } from './visit.ts'

/** The pages that people see, and the token endpoints beside them. */
export async function answerPage(host: Host, request: IncomingMessage, url: URL): Promise<Answer> {
  const isPost = request.method === 'POST'
  const given = isPost ? formOf(request, await readBody(request)) : url.searchParams
  const visit: Visit = { host, request, url, isPost, given }
  const endpoint = isPost ? endpoints[url.pathname] : undefined
  if (endpoint) return inAcceptedForm(request, endpoint(visit))
  const fixed = pages[url.pathname]
  if (fixed) return fixed(visit)
  const [, organization] = /^\/organizations\/([\w-]+)\/settings\/apps\/new$/.exec(url.pathname) ?? []
  if (organization) return registerApp(visit, organization)
  const installation = /^\/(?:apps|github-apps)\/([\w-]+)\/installations\/new(?:\/permissions)?$/
  const [, slug] = installation.exec(url.pathname) ?? []
  return slug ? installPage(visit, slug) : noPage()
}

const endpoints: Record<string, (visit: Visit) => Answer> = {
  '/login/oauth/access_token': accessToken,
  '/login/device/code': beginDevice,
}

const pages: Record<string, (visit: Visit) => Answer> = {
  '/login': signIn,
  '/login/oauth/authorize': authorize,
  '/login/device': devicePage,
  '/settings/apps/new': (visit) => registerApp(visit, null),
}

function formOf({ headers }: IncomingMessage, body: string): URLSearchParams {
  if (!/json/.test(headers['content-type'] ?? '')) return new URLSearchParams(body)
  return paramsOf(JSON.parse(body || '{}') as object)
}

/** The token endpoints answer with a form unless JSON is asked for. */
function inAcceptedForm({ headers }: IncomingMessage, answer: Answer): Answer {
  if (/json/.test(headers.accept ?? '')) return answer
  const text = paramsOf(answer.body as object).toString()
  const type = 'application/x-www-form-urlencoded; charset=utf-8'
  return { status: answer.status, text, headers: { 'content-type': type } }
}

const paramsOf = (fields: object) =>
  new URLSearchParams(Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]))
