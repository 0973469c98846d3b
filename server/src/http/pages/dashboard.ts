import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { page, sourceHash } from './html.ts'

/** The dashboard as it was built: files, and the one page that is every address of it. */
export type Dashboard = {
  isBuilt: boolean
  /** Of a request that no route answers; null: it is not about the dashboard either. */
  answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> | null
  sendPage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>
}

/** Beside the server in a release. */
const BESIDE = fileURLToPath(new URL('../dashboard', import.meta.url))

/** `dir`: where it lies; null: where a release has it, and nowhere in a checkout. */
export function openDashboard(dir: string | null): Dashboard {
  const files = filesIn(dir ?? BESIDE)
  const shell = files.get('/index.html')
  const sendPage: Dashboard['sendPage'] = (request, reply) =>
    shell ? send(shell, request, reply.headers(PAGE_HEADERS)) : sendMissing(reply)
  return {
    isBuilt: shell !== undefined,
    sendPage,
    answer(request, reply) {
      if (request.method !== 'GET' && request.method !== 'HEAD') return null
      const path = request.url.split('?')[0] ?? ''
      if (path === '/api' || path.startsWith('/api/')) return null
      const file = path === '/index.html' ? undefined : files.get(path)
      if (file) return send(file, request, reply)
      const isPage = !path.startsWith('/assets/') && request.headers.accept?.includes('text/html')
      return isPage ? sendPage(request, reply) : null
    },
  }
}

type File = {
  path: string
  type: string
  cache: string
  /** Of files whose name stays when their content changes. */
  tag: string | null
  encodings: Encoding[]
}
type Encoding = 'br' | 'gzip'

/** In the order of what is sent first. */
const ENCODINGS: [Encoding, extension: string][] = [
  ['br', '.br'],
  ['gzip', '.gz'],
]

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/**
 * Path traversal. What may be asked for is what lay there at the start, by its very path: no path of a request ever
 * reaches the file system.
 */
function filesIn(dir: string): Map<string, File> {
  const files = new Map<string, File>()
  if (!existsSync(join(dir, 'index.html'))) return files
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' })
  const known = new Set(names)
  for (const name of names) {
    const type = TYPES[extname(name)]
    if (type === undefined) continue
    const isHashed = name.startsWith('assets/')
    files.set(`/${name}`, {
      path: join(dir, name),
      type,
      cache: isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      tag: isHashed ? null : tagOf(join(dir, name)),
      encodings: ENCODINGS.filter(([, extension]) => known.has(`${name}${extension}`)).map(([encoding]) => encoding),
    })
  }
  return files
}

const tagOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('base64url').slice(0, 22)

async function send(file: File, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  reply.header('cache-control', file.cache).header('vary', 'accept-encoding')
  if (file.tag !== null) {
    // Weak: it is the same for all encodings.
    const tag = `W/"${file.tag}"`
    reply.header('etag', tag)
    if (request.headers['if-none-match'] === tag) return reply.code(304).send()
  }
  const taken = request.headers['accept-encoding'] ?? ''
  const encoding = file.encodings.find((one) => takes(taken, one))
  if (encoding) reply.header('content-encoding', encoding)
  const extension = ENCODINGS.find(([one]) => one === encoding)?.[1] ?? ''
  return reply.type(file.type).send(await readFile(`${file.path}${extension}`))
}

/** `gzip, br;q=0`: what has no weight is not wanted. */
const takes = (accepted: string, encoding: Encoding) =>
  accepted
    .split(',')
    .map((one) => one.split(';').map((part) => part.trim()))
    .some(([name, weight = '']) => name === encoding && !/^q=0(\.0*)?$/.test(weight))

/** Nothing runs, is shown or is asked but what comes from here; nobody frames it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')
const PAGE_HEADERS = { 'content-security-policy': POLICY, 'referrer-policy': 'same-origin' }

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:4rem auto;padding:0 1rem;color-scheme:light dark}`
const MISSING = page(
  'Slipway',
  STYLE,
  `<p>This server runs, but its dashboard was not built. In a checkout <code>npm run build</code> makes it, and
<code>bin/dev</code> finds it there; a release has it. The API is at <a href="/api/docs">/api/docs</a>.</p>`,
)
const MISSING_HEADERS = {
  'content-security-policy': `default-src 'none'; style-src ${sourceHash(STYLE)}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
}

async function sendMissing(reply: FastifyReply): Promise<FastifyReply> {
  return reply
    .code(404)
    .headers(MISSING_HEADERS)
    .type(TYPES['.html'] ?? '')
    .send(MISSING)
}
