import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, type OutputChunk } from 'rolldown'

/** Native parts that no release has: each of them is something that its package can do without. */
const EXTERNAL = [/\.node$/, 'pg-native', 'cpu-features', 'pg-cloudflare']

/** Every file of a bundle that came from outside, by its path in the checkout. */
export type Bundled = { modules: string[]; bytes: number; files: number }

type Options = {
  into: string
  /**
   * For a program that starts often. `together` becomes one file, because all of it is read each time: a file takes half a millisecond to
   * load, however small it is; the version is written into it. And it is written for `require`: an `import` of a module of Node evaluates all that the module offers.
   */
  light?: { together: RegExp; version: string }
}

/**
 * The program at `entry` and all that it imports, as a few files that are loaded on first use: a process that never speaks
 * to S3 does not read its client. What starts as a thread stays a file of its own.
 */
export async function bundle(entry: string, { into, light }: Options): Promise<Bundled> {
  const extension = light ? 'cjs' : 'mjs'
  const { output } = await build({
    input: { main: entry, ...threadsBeside(entry) },
    platform: 'node',
    external: EXTERNAL,
    plugins: light ? [versionInside(light.version), inAscii] : [],
    ...(light && { preserveEntrySignatures: 'allow-extension' as const }),
    // Not `import`: what is required would get the form for importers, which is another one.
    resolve: { conditionNames: ['slipway-source', 'node'] },
    // What was written for `require` may ask where it lies.
    ...(!light && { transform: { define: { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename' } } }),
    checks: { ineffectiveDynamicImport: false },
    output: {
      dir: into,
      format: light ? 'cjs' : 'esm',
      entryFileNames: `[name].${extension}`,
      chunkFileNames: `chunk-[hash].${extension}`,
      minify: true,
      // What is thrown says which class it is of; in a light program each one says it itself.
      keepNames: !light,
      ...(light && {
        codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: 'together', test: light.together }] },
      }),
    },
    write: true,
  })
  const chunks = output.filter((one): one is OutputChunk => one.type === 'chunk')
  return {
    modules: [...new Set(chunks.flatMap(({ moduleIds }) => moduleIds))].toSorted(),
    bytes: chunks.reduce((sum, { code }) => sum + Buffer.byteLength(code), 0),
    files: chunks.length,
  }
}

/** In place of what reads it from package.json. */
const versionInside = (version: string) => ({
  name: 'version-inside',
  load: (id: string) =>
    id.endsWith('/cli/src/version.ts') ? `export const VERSION = ${JSON.stringify(version)}` : null,
})

/** With anything else in it a text takes two bytes for each character. */
const inAscii = {
  name: 'in-ascii',
  generateBundle: (_: unknown, output: Record<string, { type: string; code?: string }>) => {
    for (const file of Object.values(output))
      if (file.code !== undefined)
        file.code = file.code.replace(/[^\0-\x7f]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
  },
}

/** Files that start themselves as threads: in one file with the program, a thread would start the program again. */
function threadsBeside(entry: string): Record<string, string> {
  const root = join(entry, '..')
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  )
  const threads = sources.filter((file) =>
    readFileSync(join(root, file), 'utf8').includes('new Worker(new URL(import.meta.url)'),
  )
  return Object.fromEntries(
    threads.map((file) => [`thread-${file.replace(/\.ts$/, '').replaceAll('/', '-')}`, join(root, file)]),
  )
}
