import { mkdtempSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verify } from '@octokit/webhooks-methods'
import { ask } from '../../../lab/githost/ask.ts'
import { startGitHost } from '../../../lab/githost/start.ts'
import { faultsOfAnswer, faultsOfDelivery } from './described.ts'

export type Json = Record<string, unknown>

/** What was checked, what failed, and what the description says against what was seen. */
export type Tally = { passed: number; failed: string[]; faults: string[] }

export type Client = Awaited<ReturnType<typeof openClient>>
export type Answered = { status: number; header(name: string): string; body: unknown }

/** A host of its own and the ways to be its client; every answer of its API is held against the description. */
export async function openClient(tally: Tally) {
  const dir = mkdtempSync(join(tmpdir(), 'slipway-githost-proof-'))
  const lab = await startGitHost({ dir })
  const is = (what: string, got: unknown, wanted: unknown) => {
    if (JSON.stringify(got) === JSON.stringify(wanted)) tally.passed += 1
    else {
      tally.failed.push(what)
      console.log(`  FAILED ${what}: ${JSON.stringify(got)} instead of ${JSON.stringify(wanted)}`)
    }
  }
  const fetch = createFetch(lab, (found) => {
    tally.faults.push(...found.filter((one) => !tally.faults.includes(one)))
  })
  const api = `https://api.${lab.host}`
  const call = async (method: string, path: string, token = '', body?: unknown, more: Record<string, string> = {}) => {
    const authorization: Record<string, string> =
      token === '' ? {} : { authorization: token.includes(' ') ? token : `Bearer ${token}` }
    const headers = { ...authorization, ...more }
    const content = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(api + path, { method, headers, redirect: 'manual', ...content })
    const text = await response.text()
    const parsed = /json/.test(response.headers.get('content-type') ?? '') && text !== '' ? JSON.parse(text) : text
    return { status: response.status, header: (name: string) => response.headers.get(name) ?? '', body: parsed }
  }
  const status = async (what: string, wanted: number, asked: Promise<Answered>) => {
    const answered = await asked
    is(what, answered.status, wanted)
    return answered
  }
  return { lab, dir, tally, is, fetch, call, status, api, web: `https://${lab.host}`, receive: receiverFor(tally) }
}

type Lab = Awaited<ReturnType<typeof startGitHost>>

/** `fetch` by the host's own names, through its proxy: octokit is given this one. */
function createFetch(lab: Lab, note: (faults: string[]) => void): typeof globalThis.fetch {
  const once = async (address: string, options: RequestInit = {}): Promise<Response> => {
    const { method = 'GET', body } = options
    const headers = Object.fromEntries(new Headers(options.headers).entries())
    const content = body == null ? {} : { body: String(body) }
    const { status, headers: answered, text } = await ask(lab, address, { method, headers, ...content })
    const pairs = Object.entries(answered).map(([name, value]): [string, string] => [name, String(value)])
    const { hostname, pathname } = new URL(address)
    const path = hostname.startsWith('api.') ? pathname : pathname.replace(/^\/api\/v3(?=\/)/, '')
    const isApi = hostname.startsWith('api.') || path !== pathname
    const isFault = status >= 500 || path === '/graphql' || path.startsWith('/repositories/')
    const isJson = /json/.test(String(answered['content-type'] ?? ''))
    if (isApi && !isFault)
      note(faultsOfAnswer(method, decodeURIComponent(path), status, isJson && text ? JSON.parse(text) : undefined))
    const response = new Response(text === '' ? null : text, { status, headers: pairs })
    return Object.defineProperty(response, 'url', { value: address })
  }
  return async (input, options) => {
    const address = input instanceof Request ? input.url : String(input)
    const response = await once(address, options)
    const location = response.headers.get('location')
    const follows = options?.redirect !== 'manual' && (options?.method ?? 'GET') === 'GET'
    if (!follows || location === null || response.status < 300 || response.status > 399) return response
    return once(new URL(location, address).toString(), options)
  }
}

type Delivery = { event: string; id: string; isGood: boolean; payload: Json }

/** Receives deliveries as a platform would; payloads are held against the description, signatures against the secrets. */
const receiverFor = (tally: Tally) => async (secrets: string[]) => {
  const got: Delivery[] = []
  const manner = { status: 202 }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const signature = String(request.headers['x-hub-signature-256'] ?? '')
    const checks = await Promise.all(secrets.map((secret) => signature !== '' && verify(secret, body, signature)))
    const isForm = /form/.test(request.headers['content-type'] ?? '')
    const payload: Json = JSON.parse(isForm ? (new URLSearchParams(body).get('payload') ?? '') : body)
    const event = String(request.headers['x-github-event'])
    const faults = faultsOfDelivery(event, payload)
    tally.faults.push(...faults.filter((one) => !tally.faults.includes(one)))
    got.push({ event, id: String(request.headers['x-github-delivery']), isGood: checks.includes(true), payload })
    response.writeHead(manner.status).end('{}')
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return { url, got, manner, secrets, close: () => server.close() }
}

/** What lies at `tree.0.path` of a body. */
export const at = (body: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (value as Json | undefined)?.[key], body)
export const column = (body: unknown, name: string): unknown[] => (body as Json[]).map((one) => one[name])
export const count = (body: unknown) => (body as unknown[]).length
