import { ApiError } from '@slipway/contract/client'
import type { Command } from '../../command.ts'
import { usage } from '../../failure.ts'
import { linesIn } from '../../follow/events.ts'
import { jsonBody } from '../../instance/json-body.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** The API as it is: what it answers goes to stdout, a refusal is a failure like that of any command. */
export const api: Command<'api'> = async (call) => {
  const { words, out, signal } = call
  const method = (words[0] ?? '').toUpperCase()
  if (!METHODS.includes(method)) throw usage(`${words[0]} is no method.`, `There is ${METHODS.join(', ')}.`)
  const path = words[1] ?? ''
  if (!path.startsWith('/')) throw usage(`${path} is no path.`, 'It looks like /api/projects.')
  const { url, token, fetch } = await call.instance()
  const body = await jsonBody(call)
  const headers = {
    ...(token !== null && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
  const target = new URL(path, url)
  if (target.origin !== new URL(url).origin) throw usage(`${path} leads away from ${url}.`)
  const answer = await fetch(target, { method, headers, ...(body !== undefined && { body }), signal })
  const isJson = /\bjson\b/.test(answer.headers.get('content-type') ?? '')
  if (!answer.ok) {
    // Read also where it is of no use: until then the connection is held.
    const said = await answer.text()
    throw new ApiError(answer.status, isJson ? JSON.parse(said) : unreadable(answer.status))
  }
  if (isJson) {
    const value = await answer.json()
    out.result(value, () => JSON.stringify(value, null, 2).split('\n'))
  } else for await (const line of linesIn(answer)) out.json ? out.event({ line }) : out.line(line)
}

const unreadable = (status: number) =>
  ({ success: false, error: `The server answered ${status}.`, code: 'internal', requestId: '' }) as const
