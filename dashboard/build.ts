import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, extname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build, type Rolldown } from 'vite'

/** Of the dashboard: every file that something of it came from, for the licenses, and how large it is. */
type Built = { modules: string[]; files: number; bytes: number }

const HERE = import.meta.dirname
const COMPRESSED = new Set(['.css', '.html', '.js', '.svg'])

/** Builds the dashboard into a folder, with each text file compressed beside it: a server only hands them out. */
export async function buildDashboard(into: string): Promise<Built> {
  // What is handed out is the same whoever builds it: a test's or a developer's setting would bring React's development build.
  process.env.NODE_ENV = 'production'
  const made = (await build({
    root: HERE,
    logLevel: 'warn',
    build: { outDir: into, emptyOutDir: true },
  })) as Rolldown.RolldownOutput
  const names = readdirSync(into, { recursive: true, encoding: 'utf8' })
  await Promise.all(names.filter((name) => COMPRESSED.has(extname(name))).map((name) => compress(join(into, name))))
  const bytes = made.output.reduce((sum, one) => sum + sizeOf(one), 0)
  return { modules: modulesOf(made.output), files: made.output.length, bytes }
}

const sizeOf = (one: Rolldown.OutputChunk | Rolldown.OutputAsset) =>
  Buffer.byteLength(one.type === 'chunk' ? one.code : one.source)

/** Scripts say what they are made of, fonts where they come from; styles say neither. */
function modulesOf(output: readonly (Rolldown.OutputChunk | Rolldown.OutputAsset)[]): string[] {
  const named = output.flatMap((one) =>
    one.type === 'chunk' ? one.moduleIds : one.originalFileNames.map((name) => join(HERE, name)),
  )
  return [...new Set([...named, join(HERE, '../node_modules/tailwindcss/index.css')])].toSorted()
}

const toBrotli = promisify(brotliCompress)
const toGzip = promisify(gzip)

async function compress(file: string): Promise<void> {
  const text = readFileSync(file)
  writeFileSync(`${file}.br`, await toBrotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }))
  writeFileSync(`${file}.gz`, await toGzip(text, { level: 9 }))
}

/** What `dist` is made of; what it was made of last is kept in `BUILT`. */
const SOURCES = ['src', 'public', 'index.html', 'build.ts', 'vite.config.ts', '../contract/src', '../package-lock.json']
const DIST = join(HERE, 'dist')
const BUILT = join(HERE, '../node_modules/.cache/dashboard-dist')

/** From the same sources it is left as it is: a server that somebody else has started may be reading it. */
async function buildDist(): Promise<void> {
  const sources = digest(SOURCES.flatMap((path) => filesIn(join(HERE, path))))
  if (existsSync(join(DIST, 'index.html')) && existsSync(BUILT) && readFileSync(BUILT, 'utf8') === sources) return
  rmSync(BUILT, { force: true })
  tell(DIST, await buildDashboard(DIST))
  mkdirSync(dirname(BUILT), { recursive: true })
  writeFileSync(BUILT, sources)
}

const filesIn = (path: string): string[] =>
  statSync(path).isFile()
    ? [path]
    : readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .toSorted()

function digest(files: string[]): string {
  const hash = createHash('sha256')
  for (const file of files) hash.update(`${file}\0`).update(readFileSync(file)).update('\0')
  return hash.digest('hex')
}

const tell = (into: string, { files, bytes }: Built) =>
  console.log(`${into}: ${files} files, ${(bytes / 1e6).toFixed(1)} MB`)

if (import.meta.main) {
  const into = process.argv[2]
  if (into === undefined) await buildDist()
  else tell(resolve(into), await buildDashboard(resolve(into)))
}
