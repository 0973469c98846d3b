import { posix } from 'node:path'
import { type Choices, type Found, found } from '../detection.ts'
import { cmd, copy, env, lines, openPort, openPortAlpine, run, workdir } from '../dockerfile.ts'
import type { Look } from '../look.ts'

const PORT = 8080
const FRAMEWORKS: [slug: string, module: string][] = [
  ['gin', 'github.com/gin-gonic/gin'],
  ['echo', 'github.com/labstack/echo'],
  ['fiber', 'github.com/gofiber/fiber'],
  ['chi', 'github.com/go-chi/chi'],
  ['gorilla', 'github.com/gorilla/mux'],
]

/** One static program, and nothing else in the image that runs. */
export async function detectGo(look: Look): Promise<Found | null> {
  const text = await look.text('go.mod')
  if (text === null) return null
  const main = await mainPackage(look, text)
  if (main === null) return null
  const version = /^go\s+(\d+\.\d+)/m.exec(text)?.[1] ?? '1'
  const library = FRAMEWORKS.find(([, module]) => text.includes(module))
  const port = (await portOf(look, main.path)) ?? PORT
  // Wraps a library in C.
  const cgo = text.includes('github.com/mattn/go-sqlite3')
  const build = `go build -trimpath -ldflags="-s -w" -o /out/app ${main.path}`
  const sums = look.has('go.sum') ? ['go.mod', 'go.sum'] : ['go.mod']
  return found({
    strategy: 'server',
    language: 'go',
    framework: library?.[0] ?? null,
    packageManager: 'go',
    installCommand: look.hasFolder('vendor') ? null : 'go mod download',
    buildCommand: build,
    startCommand: '/app',
    port,
    because: [`go.mod says go ${version}`, ...(library ? [`it requires ${library[1]}`] : []), main.because],
    warnings: main.warnings,
    confidence: main.warnings.length > 0 ? 'low' : 'high',
    recipe: (choices) => goDockerfile({ version, cgo, build, sums, vendored: look.hasFolder('vendor'), port }, choices),
  })
}

type Main = { path: string; because: string; warnings: string[] }

/** The root, or a folder below cmd/ when there is only one or one that is called like a server. */
async function mainPackage(look: Look, gomod: string): Promise<Main | null> {
  const files = look.files()
  const isMain = async (path: string) => /^package main\b/m.test((await look.text(path)) ?? '')
  for (const path of files.filter((file) => /^[^/]+\.go$/.test(file) && !file.endsWith('_test.go'))) {
    if (await isMain(path)) return { path: '.', because: `${path} is package main`, warnings: [] }
  }
  const folders = [
    ...new Set(files.filter((file) => /^cmd\/[\w.-]+\/[\w.-]+\.go$/.test(file)).map((file) => posix.dirname(file))),
  ]
  const module = /^module\s+(\S+)/m.exec(gomod)?.[1]?.split('/').at(-1) ?? ''
  const called = [module, 'server', 'api', 'web', 'app', 'main']
  const best = folders.find((folder) => called.includes(posix.basename(folder))) ?? folders[0]
  if (best === undefined) return null
  const several = folders.length > 1 ? [`Of ${folders.join(', ')}, ${best} is built.`] : []
  return { path: `./${best}`, because: `${best} is its command`, warnings: several }
}

async function portOf(look: Look, main: string): Promise<number | null> {
  for (const path of look
    .files()
    .filter((file) => posix.dirname(file) === posix.join(main, '.').replace(/^\.\//, '') && file.endsWith('.go'))) {
    const said = /(?:ListenAndServe|\.Listen|\.Run|\.Start)\(\s*"[\w.]*:(\d{2,5})"/.exec(
      (await look.text(path)) ?? '',
    )?.[1]
    if (said !== undefined) return Number(said)
  }
  return null
}

type GoApp = { version: string; cgo: boolean; build: string; sums: string[]; vendored: boolean; port: number }

function goDockerfile({ version, cgo, build, sums, vendored, port: own }: GoApp, choices: Choices): string {
  const { secrets } = choices
  const port = choices.port ?? own
  const caches = [
    { id: 'go-mod', target: '/go/pkg/mod' },
    { id: 'go-build', target: '/cache/go' },
  ]
  return lines(
    `FROM golang:${version}-${cgo ? 'bookworm' : 'alpine'} AS build`,
    workdir('/src'),
    env({ CGO_ENABLED: cgo ? 1 : 0, GOCACHE: '/cache/go' }),
    !vendored && copy(sums, './'),
    (!vendored || choices.installCommand !== undefined) &&
      run(choices.installCommand ?? 'go mod download', { caches, secrets }),
    'COPY . .',
    run(choices.buildCommand ?? build, { caches, secrets }),
    '',
    cgo ? 'FROM debian:bookworm-slim' : 'FROM alpine:3',
    cgo && copy(['/etc/ssl/certs/'], '/etc/ssl/certs/', { from: 'build' }),
    copy(['/out/app'], '/app', { from: 'build' }),
    env({ PORT: port }),
    'USER 1000',
    `EXPOSE ${port}`,
    cgo ? openPort(port) : openPortAlpine(port),
    cmd(choices.startCommand ?? '/app'),
  )
}
