import { procfileStart } from '../procfile.ts'
import type { Shape } from './framework.ts'
import { type NodePackage, named } from './manifest.ts'
import { portIn, type Start, startScript } from './scripts.ts'
import { ENTRIES, type Listening, listeningIn, serverLibrary } from './servers.ts'

const PORT = 3000

type Kind = { slug: string | null; shape: Shape; because: string[] }

/** A package that starts a server of its own making; null where nothing says how. In a workspace most are libraries. */
export async function plainServer(pkg: NodePackage, mayGuess: boolean): Promise<Kind | null> {
  const library = serverLibrary(pkg.dependencies)
  const start = await startOf(pkg, library?.slug ?? null)
  if (start === null || (start.guess && !mayGuess)) return null
  const listening = await listeningOf(pkg, start.command)
  const said = portIn(start.command)
  const because = [
    library ? `package.json has ${named(library.package, pkg)}` : 'the source has package.json',
    start.because,
  ]
  if (listening?.fixed && said === null) because.push(`its code listens on ${listening.port}`)
  const warnings = [start.developers, listening?.local ? LOCAL : null].filter((line) => line !== null)
  const shape: Shape = {
    kind: 'server',
    build: library?.slug === 'nestjs' ? 'nest build' : null,
    start: start.command,
    port: said ?? listening?.port ?? PORT,
    warnings,
    ...(start.guess && { confidence: 'medium' }),
  }
  return { slug: library?.slug ?? null, shape, because }
}

const LOCAL = 'The server listens on localhost, which nobody outside the container can reach; listen on 0.0.0.0.'

type Found = Start & { guess?: boolean }

async function startOf(pkg: NodePackage, library: string | null): Promise<Found | null> {
  const procfile = await procfileStart(pkg.look)
  if (procfile) return { ...procfile, developers: null }
  const script = startScript(pkg)
  if (script && script.command !== '') return script
  if (library === 'nestjs')
    return { command: 'node dist/main.js', because: 'Nest builds dist/main.js', developers: null }
  const main = entryOf(pkg)
  if (main === undefined) return null
  const command = /\.m?ts$/.test(main) && library === 'elysia' ? `bun ${main}` : `node ${main}`
  return { command, because: `it starts ${main}`, developers: script?.developers ?? null, guess: true }
}

/** `main` counts only for what can be one: in a library it is the file that others import. */
function entryOf({ look, manifest, scripts }: NodePackage): string | undefined {
  const main = typeof manifest.main === 'string' ? manifest.main.replace(/^\.\//, '') : undefined
  const plain = main !== undefined && /^[\w./-]+$/.test(main)
  if (plain && (look.has(main) || (scripts.has('build') && /^(?:dist|build|out|lib)\//.test(main)))) return main
  return look.first(...ENTRIES)
}

/** Looks where the start command begins, and for what is built, where its source is likely to be. */
async function listeningOf({ look }: NodePackage, command: string): Promise<Listening | null> {
  const started = /(?:^|\s)(?:node|bun|tsx)(?:\s+(?:run|-\S+))*\s+([\w./-]+)/.exec(command)?.[1]?.replace(/^\.\//, '')
  const stem = started?.replace(/^(?:dist|build|out|lib)\//, '').replace(/\.[cm]?[jt]s$/, '')
  const sources =
    stem === undefined
      ? []
      : ['', 'src/'].flatMap((folder) => ['ts', 'js', 'mts', 'mjs'].map((ending) => `${folder}${stem}.${ending}`))
  for (const path of new Set([started ?? '', ...sources, ...ENTRIES])) {
    const text = path !== '' && look.has(path) ? await look.text(path) : null
    const listening = text === null ? null : listeningIn(text)
    if (listening) return listening
    if (path === started && text !== null) return null
  }
  return null
}
