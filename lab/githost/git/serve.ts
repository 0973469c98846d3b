import { spawn } from 'node:child_process'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { appPermissions, guardAccount, reaches, roleFor } from '../access.ts'
import { ApiError, send } from '../answer.ts'
import { type Actor, addressOf, readActor } from '../credentials.ts'
import { type Move, tellPush } from '../events/push.ts'
import { followRename } from '../host.ts'
import type { Host, Repository } from '../model.ts'
import { exclusively } from './exclusively.ts'
import { gitEnv, refsOf, ZERO } from './run.ts'

type GitRequest = { owner: string; name: string; service: string; url: URL }

/** `/owner/name.git/info/refs` and the two services of the smart protocol. */
export function gitRequestOf(url: URL): GitRequest | null {
  const pattern = /^\/([\w.-]+)\/([\w.-]+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/
  const [, owner = '', name = '', service] = pattern.exec(url.pathname) ?? []
  return service === undefined ? null : { owner, name, service, url }
}

/** Real git over HTTP. Once git has taken a push, hooks are told which refs moved. */
export async function serveRepository(
  host: Host,
  asked: GitRequest,
  request: IncomingMessage,
  response: ServerResponse,
) {
  let admitted: { repository: Repository; actor: Actor }
  try {
    admitted = admitTo(host, asked, request)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const challenge: Record<string, string> = error.status === 401 ? { 'www-authenticate': 'Basic realm="GitHub"' } : {}
    const headers = { 'content-type': 'text/plain', ...challenge }
    return send(response, { status: error.status, text: `remote: ${error.message}\n`, headers })
  }
  const { repository, actor } = admitted
  const serve = () => runBackend(host.repositoriesDir, `/${repository.id}.git/${asked.service}`, request, response)
  if (asked.service !== 'git-receive-pack') {
    await serve()
    return void response.end()
  }
  const pusher = (actor.kind === 'token' && actor.token.user) || repository.owner
  // What moved is the difference of two looks.
  await exclusively(repository, async () => {
    const before = await refsOf(repository)
    await serve()
    const moves = movesBetween(before, await refsOf(repository))
    // The client goes on when the answer ends, and may ask at once whether all is delivered.
    host.traffic.underWay += 1
    response.end()
    await tellPush(host, repository, moves, pusher).finally(() => {
      host.traffic.underWay -= 1
    })
  })
}

const NO_PASSWORDS = 'Invalid username or token. Password authentication is not supported for Git operations.'

function admitTo(host: Host, { owner, name, service, url }: GitRequest, request: IncomingMessage) {
  const writes = service === 'git-receive-pack' || url.searchParams.get('service') === 'git-receive-pack'
  const actor = readActor(host, request)
  const unknown = () =>
    actor.kind === 'anonymous' ? new ApiError(401, NO_PASSWORDS) : new ApiError(404, 'Repository not found.')
  const repository = followRename(host, owner, name)
  const role = repository ? roleFor(host, actor, repository) : 'none'
  if (!repository || role === 'none' || (writes && actor.kind === 'anonymous')) throw unknown()
  guardAccount({ host, actor, address: addressOf(request) }, repository.owner)
  const given = appPermissions(host, actor, repository)
  const level = writes ? 'write' : 'read'
  const byApp = given === null || reaches(given.contents, level) || (!writes && !repository.private)
  if (!byApp || !reaches(role, level)) throw new ApiError(403, `Permission to ${owner}/${name}.git denied.`)
  return { repository, actor }
}

function movesBetween(before: Map<string, string>, after: Map<string, string>): Move[] {
  const refs = new Set([...before.keys(), ...after.keys()])
  return [...refs]
    .map((ref) => ({ ref, before: before.get(ref) ?? ZERO, after: after.get(ref) ?? ZERO }))
    .filter((move) => move.before !== move.after)
}

/** The CGI bridge to git's own server program. Resolves when that has ended; the response is left open. */
function runBackend(root: string, path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { headers, method, url = '/' } = request
  const child = spawn('git', ['http-backend'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {
      ...gitEnv,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      REQUEST_METHOD: method,
      PATH_INFO: path,
      QUERY_STRING: url.split('?')[1] ?? '',
      REMOTE_USER: 'lab',
      CONTENT_TYPE: headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(headers['git-protocol'] ?? ''),
      ...(headers['content-length'] && { CONTENT_LENGTH: headers['content-length'] }),
    },
  })
  request.pipe(child.stdin.on('error', () => {}))
  response.on('close', () => child.kill())
  let head = Buffer.alloc(0)
  const readHead = (chunk: Buffer) => {
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) return
    child.stdout.off('data', readHead)
    const lines = head.toString('latin1', 0, end).split('\r\n')
    const fields = lines.map((line) => line.split(/:\s*/, 2) as [string, string])
    const { Status = '200', ...rest } = Object.fromEntries(fields)
    response.writeHead(Number.parseInt(Status, 10), rest)
    response.write(head.subarray(end + 4))
    child.stdout.pipe(response, { end: false })
  }
  child.stdout.on('data', readHead)
  return new Promise((ended) => {
    child.on('error', () => ended())
    child.on('close', () => {
      if (!response.headersSent) response.writeHead(500)
      ended()
    })
  })
}
