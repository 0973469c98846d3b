import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { extname, join, resolve } from 'node:path'
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

if (import.meta.main) {
  const into = resolve(process.argv[2] ?? join(HERE, 'dist'))
  const { files, bytes } = await buildDashboard(into)
  console.log(`${into}: ${files} files, ${(bytes / 1e6).toFixed(1)} MB`)
}
