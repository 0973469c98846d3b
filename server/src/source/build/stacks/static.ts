import { posix } from 'node:path'
import { type Choices, type Found, found } from '../detection.ts'
import { cmd, copy, env, lines, openPortAlpine } from '../dockerfile.ts'
import type { Look } from '../look.ts'

export type Fallback = 'spa' | 'pages'

const PORT = 8080
/** Where pages lie when there is nothing else in a source. */
const FOLDERS = ['.', 'public', 'dist', 'build', 'site', 'www', 'html', 'docs', '_site', 'src']

/** Pages as they are. */
export async function detectStatic(look: Look, named?: string): Promise<Found | null> {
  const folder = (named === undefined ? FOLDERS : [named]).find((one) => look.has(posix.join(one, 'index.html')))
  if (folder === undefined) return null
  const { fallback, because } = await fallbackOf(look.at(folder))
  return found({
    strategy: 'static',
    language: 'html',
    outputDirectory: folder,
    port: PORT,
    because: [`the source has ${posix.join(folder, 'index.html')}`, ...because],
    confidence: folder === '.' ? 'high' : 'medium',
    recipe: (choices) => staticDockerfile(folder, fallback, choices),
  })
}

/** Signs that paths belong to an application in the browser, as other hosts understand them. */
async function fallbackOf(look: Look): Promise<{ fallback: Fallback; because: string[] }> {
  if (look.has('200.html')) return { fallback: 'spa', because: ['200.html answers for paths that are no file'] }
  const redirects = (await look.text('_redirects')) ?? ''
  if (/^\/\*[ \t]+\/index\.html[ \t]+200/m.test(redirects)) {
    return { fallback: 'spa', because: ['_redirects sends every path to index.html'] }
  }
  return { fallback: 'pages', because: [] }
}

const staticDockerfile = (folder: string, fallback: Fallback, { outputDirectory, port }: Choices): string => {
  const served = outputDirectory ?? folder
  return lines(...caddyStage({ copied: copy([`${served}/`], '/srv/'), fallback, port: port ?? PORT }))
}

/** The last stage of everything that is files: an ordinary user, no configuration from outside, PORT if it is set. */
export const caddyStage = ({ copied, fallback, port }: { copied: string; fallback: Fallback; port: number }) => [
  'FROM caddy:2-alpine',
  `RUN printf '%s\\n' ${caddyfile(fallback)
    .map((line) => `'${line}'`)
    .join(' \\\n    ')} > /etc/caddy/Caddyfile`,
  copied,
  env({ PORT: port }),
  'USER 1000',
  `EXPOSE ${port}`,
  openPortAlpine(port),
  cmd('caddy run --config /etc/caddy/Caddyfile --adapter caddyfile'),
]

/** Files whose name begins with a dot are not for visitors, except where a standard puts something there for them. */
const caddyfile = (fallback: Fallback) => [
  '{',
  '  admin off',
  '  auto_https off',
  '  persist_config off',
  '}',
  ':{$PORT} {',
  '  root * /srv',
  '  encode zstd gzip',
  '  @hidden {',
  '    path */.*',
  '    not path /.well-known/*',
  '  }',
  '  error @hidden 404',
  fallback === 'spa' ? '  try_files {path} {path}.html /200.html /index.html' : '  try_files {path} {path}.html',
  '  file_server',
  '  handle_errors 404 {',
  '    rewrite * /404.html',
  '    file_server',
  '  }',
  '}',
]
