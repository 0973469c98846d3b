import { request } from 'node:http'
import { join } from 'node:path'
import { ended, run } from '../argv.ts'
import { readSettings } from '../files.ts'
import { PATHS, USER } from '../paths.ts'

export type Owner = { token: string; link: string; expiresAt: string }

const ASK_MS = 60_000

/** An errand of the server's own program, with its settings and as its user. */
export function errandOf(version: string, args: string[]) {
  const argv = [join(PATHS.versions, version, 'bin/slipway'), 'server', 'admin', ...args] as const
  return { argv, options: { as: USER, env: { PATH: process.env.PATH, ...readSettings(PATHS.settings) } } }
}

/** Whoever ends in the middle of this is let in again: only the link that was shown last is good. */
export async function makeOwner(version: string, email: string, organization: string | null): Promise<Owner> {
  const args = ['bootstrap', '--json', '--email', email, ...(organization ? ['--organization', organization] : [])]
  const { argv, options } = errandOf(version, args)
  const first = await ended(argv, options)
  return JSON.parse(first.code === 0 ? first.out : await run([...argv, '--again'], options))
}

/** After a restore: the database is where it was never before, which a server refuses until it is told. */
export async function adoptInstance(version: string): Promise<void> {
  const { argv, options } = errandOf(version, ['instance', 'adopt'])
  await run(argv, options)
}

export async function makeServer(token: string): Promise<string> {
  const listed = await askPlatform<{ data: { id: string; kind: string }[] }>('GET', '/api/servers', token)
  const known = listed.data.find(({ kind }) => kind === 'local')
  const server = { kind: 'local', name: 'this-machine' }
  const { id } = known ?? (await askPlatform<{ id: string }>('POST', '/api/servers', token, server))
  await askPlatform('POST', `/api/servers/${id}/check`, token, {})
  return 'checked'
}

/** Over the socket that systemd holds: the platform need not be reachable for anybody yet. */
export function askPlatform<Answer>(method: string, path: string, token: string, body?: object): Promise<Answer> {
  return new Promise((done, fail) => {
    const headers = {
      host: 'slipway',
      authorization: `Bearer ${token}`,
      ...(body && { 'content-type': 'application/json' }),
    }
    const asked = request({ socketPath: PATHS.socket, method, path, headers, timeout: ASK_MS }, async (answer) => {
      let text = ''
      for await (const piece of answer.setEncoding('utf8')) text += piece
      if ((answer.statusCode ?? 500) < 300) done(JSON.parse(text))
      else fail(new Error(`${method} ${path} was answered with ${answer.statusCode}: ${text}`))
    })
    asked.on('timeout', () => asked.destroy(new Error(`${method} ${path}: no answer within ${ASK_MS / 1000} s.`)))
    asked.on('error', fail)
    asked.end(body && JSON.stringify(body))
  })
}
