import type { IncomingMessage } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type Docker from 'dockerode'
import { authOf, type RegistryLogin } from './registry-login.ts'

export type EngineRequest = {
  method?: 'GET' | 'HEAD' | 'POST' | 'DELETE'
  /** Without a query; parts that come from outside are encoded by the caller. */
  path: string
  query?: Record<string, unknown>
  body?: object
  /** What images are fetched with; null: with nothing. */
  login?: RegistryLogin | null
}

/** One request to the engine that an aborted signal ends: dockerode's own methods know a signal only here and there. */
export function callEngine<Answer>(docker: Docker, request: EngineRequest, signal: AbortSignal): Promise<Answer> {
  return dial(docker, request, { abortSignal: signal })
}

/** A GET to the engine. */
export function askEngine<Answer>(docker: Docker, path: string, signal: AbortSignal): Promise<Answer> {
  return callEngine(docker, { path }, signal)
}

/** The answer as it arrives; whoever takes it destroys it. The signal ends the request, not the stream. */
export function streamEngine(docker: Docker, request: EngineRequest, signal: AbortSignal): Promise<IncomingMessage> {
  return dial(docker, request, { abortSignal: signal, isStream: true })
}

/** The version of the API that both sides speak, as a number that can be compared: 145 for 1.45. */
export function apiOf(docker: Docker): number {
  const [major = '1', minor = '0'] = String((docker.modem as { version?: string }).version ?? '')
    .replace('v', '')
    .split('.')
  return Number(major) * 100 + Number(minor)
}

/** Undefined where the engine says 404. */
export async function unlessMissing<Answer>(work: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await work
  } catch (error) {
    if (statusOf(error) === 404) return undefined
    throw error
  }
}

export function statusOf(error: unknown): number | undefined {
  return (error as { statusCode?: number } | null)?.statusCode
}

/** The engine's own words, without docker-modem's "(HTTP code 409) unexpected -". */
export function wordsOf(error: unknown): string {
  const { json, message } = error as { json?: { message?: unknown }; message?: string }
  return String(json?.message ?? message ?? error).trim()
}

/** Between two questions; a caller who leaves gets his own reason and not node's "The operation was aborted". */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => signal.throwIfAborted())
}

const accepted = { 200: true, 201: true, 202: true, 204: true, 304: true }

function dial<Answer>(
  docker: Docker,
  { method = 'GET', path, query, body, login }: EngineRequest,
  more: { abortSignal: AbortSignal; isStream?: true },
): Promise<Answer> {
  const modem: Docker['modem'] = docker.modem
  // docker-modem sends the options themselves as the body of a POST that has none, and cuts a path's last character
  // when it contains a question mark and there is no query.
  const options = { ...(query ? { _query: query } : {}), ...(method === 'POST' ? { _body: body ?? {} } : {}) }
  return new Promise((resolve, reject) => {
    const auth = login === undefined ? {} : { authconfig: authOf(login) }
    const request = { path: query ? `${path}?` : path, method, options, statusCodes: accepted, ...auth, ...more }
    modem.dial(request, (error, answer) => (error ? reject(error) : resolve(answer as Answer)))
  })
}
