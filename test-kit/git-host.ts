import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tool } from '../lab/tools.ts'

export type GitHost = {
  /** The address of a repository; there need not be one. */
  url(name: string): string
  /** Where a repository lies: the lab's machines see the same files, so it can be reached over SSH as well. */
  path(name: string): string
  /** Makes `files` the whole content of a branch and gives the commit; the repository is made with its first one. */
  commit(name: string, files: Files, more?: { branch?: string; message?: string }): string
  /** What a client must trust to come here: SLIPWAY_GIT_CA_FILE. */
  caFile: string
  /** How often an answer was refused for want of the token. */
  refused(): number
  close(): void
}

type Files = Record<string, string | { submodule: string }>

/** A real git server over HTTPS (`git http-backend`) with a certificate of its own; with `token`, only for who sends it. */
export async function startGitHost({ token }: { token?: string } = {}): Promise<GitHost> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-git-host-'))
  const root = join(folder, 'repositories')
  const caFile = join(folder, 'certificate.pem')
  let refused = 0
  const server = createServer(certificate(folder, caFile), (request, response) => {
    if (token === undefined || passwordOf(request) === token) return answer(root, request, response)
    refused++
    return response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    url: (name) => `https://127.0.0.1:${port}/${name}.git`,
    path: (name) => join(root, `${name}.git`),
    commit: (name, files, { branch = 'main', message = 'A change' } = {}) =>
      commit(join(root, `${name}.git`), { files, branch, message }),
    caFile,
    refused: () => refused,
    close() {
      server.closeAllConnections()
      server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Self-signed, so it is its own authority. */
function certificate(folder: string, cert: string): { key: string; cert: string } {
  const key = join(folder, 'key.pem')
  const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  const name = ['-subj', '/CN=git', '-addext', 'subjectAltName=IP:127.0.0.1']
  execFileSync(tool('openssl'), [...kind, '-keyout', key, '-out', cert, ...name], { stdio: 'pipe' })
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
}

/** Whatever user name came with it: hosts differ, and mostly do not care. */
function passwordOf({ headers }: IncomingMessage): string | undefined {
  const [, encoded] = /^Basic (.+)$/.exec(headers.authorization ?? '') ?? []
  const plain = Buffer.from(encoded ?? '', 'base64').toString()
  return plain.includes(':') ? plain.slice(plain.indexOf(':') + 1) : undefined
}

function commit(directory: string, { files, branch, message }: { files: Files; branch: string; message: string }) {
  if (!existsSync(directory)) {
    mkdirSync(directory, { recursive: true })
    git(directory, ['init', '--quiet', '--bare', `--initial-branch=${branch}`])
  }
  const lines = Object.entries(files).map(([path, content]) => {
    if (typeof content === 'object') return `160000 ${content.submodule}\t${path}\n`
    return `100644 ${git(directory, ['hash-object', '-w', '--stdin'], content)}\t${path}\n`
  })
  git(directory, ['read-tree', '--empty'])
  git(directory, ['update-index', '--add', '--index-info'], lines.join(''))
  const tip = git(directory, ['for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`])
  const parent = tip === '' ? [] : ['-p', tip]
  const sha = git(directory, ['commit-tree', git(directory, ['write-tree']), ...parent, '-m', message])
  git(directory, ['update-ref', `refs/heads/${branch}`, sha])
  return sha
}

function git(directory: string, args: string[], input?: string): string {
  const person = (who: 'AUTHOR' | 'COMMITTER') => ({
    [`GIT_${who}_NAME`]: 'Ada',
    [`GIT_${who}_EMAIL`]: 'ada@example.com',
  })
  const env = { PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' }
  const options = { env: { ...env, ...person('AUTHOR'), ...person('COMMITTER') }, input, encoding: 'utf8' } as const
  return execFileSync(tool('git'), ['-C', directory, ...args], { ...options, stdio: 'pipe' }).trim()
}

/** One request by the CGI program that comes with git. */
function answer(root: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '/', 'https://x')
  const { headers } = request
  const env = {
    PATH: process.env.PATH,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: '1',
    REQUEST_METHOD: request.method,
    PATH_INFO: pathname,
    QUERY_STRING: search.slice(1),
    CONTENT_TYPE: headers['content-type'] ?? '',
    HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
    GIT_PROTOCOL: String(headers['git-protocol'] ?? ''),
    ...(headers['content-length'] && { CONTENT_LENGTH: headers['content-length'] }),
  }
  const child = spawn(tool('git'), ['http-backend'], { env, stdio: ['pipe', 'pipe', 'ignore'] })
  request.pipe(child.stdin.on('error', () => {}))
  response.on('close', () => child.kill())
  let head = Buffer.alloc(0)
  const readHead = (chunk: Buffer) => {
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) return
    child.stdout.off('data', readHead)
    const lines = head.toString('latin1', 0, end).split('\r\n')
    const named = Object.fromEntries(lines.map((line) => line.split(/:\s*/, 2) as [string, string]))
    const { Status: status = '200', ...others } = named
    response.writeHead(Number.parseInt(status, 10), others)
    response.write(head.subarray(end + 4))
    child.stdout.pipe(response)
  }
  child.stdout.on('data', readHead)
}
