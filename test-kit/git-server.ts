import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'

// For the tests of git: repositories, and a real git server (git http-backend) in front of them.

/** Runs git on a test's own repository and gives what it says. */
export function git(directory: string, args: string[], input?: string | Buffer): string {
  const who = {
    GIT_AUTHOR_NAME: 'Ada Lovelace',
    GIT_AUTHOR_EMAIL: 'ada@example.com',
    GIT_AUTHOR_DATE: '1790000000 +0200',
  }
  const committer = {
    GIT_COMMITTER_NAME: 'C',
    GIT_COMMITTER_EMAIL: 'c@example.com',
    GIT_COMMITTER_DATE: '1790000100 +0200',
  }
  const env = { PATH: process.env.PATH, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', ...who, ...committer }
  return execFileSync('git', ['-C', directory, ...args], { env, input, encoding: 'utf8', stdio: 'pipe' }).trim()
}

export type Planted =
  | { path: string; text: string | Buffer; mode?: '100755' | '120000' }
  | { path: string; submodule: string }

/** A bare repository with one commit on `branch`; its tree is made directly, so that it may hold anything. */
export function plant(directory: string, branch: string, files: Planted[], message = 'Plant'): string {
  mkdirSync(directory, { recursive: true })
  git(directory, ['init', '--quiet', '--bare', `--initial-branch=${branch}`])
  const lines = files.map((file) => {
    if ('submodule' in file) return `160000 ${file.submodule}\t${file.path}\n`
    return `${file.mode ?? '100644'} ${git(directory, ['hash-object', '-w', '--stdin'], file.text)}\t${file.path}\n`
  })
  git(directory, ['read-tree', '--empty'])
  git(directory, ['update-index', '--add', '--index-info'], lines.join(''))
  return commitTree(directory, branch, git(directory, ['write-tree']), message)
}

export function commitTree(directory: string, branch: string, tree: string, message: string): string {
  const commit = git(directory, ['commit-tree', tree, '-m', message])
  git(directory, ['update-ref', `refs/heads/${branch}`, commit])
  return commit
}

/** A tree object as git's own programs would never write it. */
export function forgeTree(directory: string, entries: { mode: string; name: string; id: string }[]): string {
  const parts = entries.flatMap(({ mode, name, id }) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')])
  return git(directory, ['hash-object', '-t', 'tree', '-w', '--literally', '--stdin'], Buffer.concat(parts))
}

export type Behaviour = {
  token?: string
  /** Before the objects are sent. */
  delayMs?: number
  /** As servers before 2018: only what a branch points to can be asked for. */
  old?: boolean
  redirect?: string
  /** Sends whoever leaves the `.git` of a repository out to the address with it. */
  addEnding?: boolean
  status?: number
}

/** Real git over HTTP for all repositories below `root`; `behaviour` may change between calls. */
export async function serveGit(root: string, behaviour: Behaviour, tls?: { key: string; cert: string }) {
  const seen: string[] = []
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization ?? '-'}`)
    const wanted = behaviour.token && `Basic ${Buffer.from(`x-access-token:${behaviour.token}`).toString('base64')}`
    if (behaviour.addEnding && !request.url?.includes('.git/'))
      return response.writeHead(301, { location: request.url?.replace(/^\/([^/]+)/, '/$1.git') }).end()
    if (behaviour.redirect) return response.writeHead(301, { location: behaviour.redirect + request.url }).end()
    if (behaviour.status) return response.writeHead(behaviour.status).end()
    if (wanted && request.headers.authorization !== wanted) {
      return response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
    }
    const wait = request.method === 'POST' ? (behaviour.delayMs ?? 0) : 0
    return setTimeout(() => backend(root, request, response, behaviour), wait)
  }
  const server = tls ? createTlsServer(tls, answer) : createServer(answer)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`, seen, close }
}

/** The CGI bridge to `git http-backend`. */
function backend(root: string, request: IncomingMessage, response: ServerResponse, { old }: Behaviour): void {
  const url = new URL(request.url ?? '/', 'http://x')
  const env = {
    PATH: process.env.PATH,
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: '1',
    REQUEST_METHOD: request.method,
    PATH_INFO: url.pathname,
    QUERY_STRING: url.search.slice(1),
    CONTENT_TYPE: request.headers['content-type'] ?? '',
    HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
    ...(!old && { GIT_PROTOCOL: String(request.headers['git-protocol'] ?? '') }),
    ...(request.headers['content-length'] && { CONTENT_LENGTH: request.headers['content-length'] }),
  }
  const child = spawn('git', ['http-backend'], { env, stdio: ['pipe', 'pipe', 'ignore'] })
  request.pipe(child.stdin.on('error', () => {}))
  response.on('close', () => child.kill())
  let head = Buffer.alloc(0)
  const readHead = (chunk: Buffer) => {
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) return
    child.stdout.off('data', readHead)
    const lines = head.toString('latin1', 0, end).split('\r\n')
    const headers = lines.map((line) => line.split(/:\s*/, 2) as [string, string])
    const status = headers.find(([name]) => name.toLowerCase() === 'status')?.[1]
    response.writeHead(status ? Number.parseInt(status, 10) : 200, Object.fromEntries(headers))
    response.write(head.subarray(end + 4))
    child.stdout.pipe(response)
  }
  child.stdout.on('data', readHead)
}
