import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** What a test needs: nothing, a PostgreSQL, the lab (root on Debian 12), or the lab with few others beside it. */
export type Kind = 'unit' | 'database' | 'lab' | 'quiet'
export type Kinds = Record<Kind, string[]>

const TESTS = '{contract,server,cli,dashboard,setup,lab,e2e,tools,proofs,test-kit}/**/*.test.ts'
/** The one way to a PostgreSQL; that it asks the lab for one makes no test a test of the lab. */
const DATABASE = 'test-kit/database.ts'
/** They ask the kernel of this machine in a way that only Linux answers. */
const LINUX = [
  'test-kit/processes.ts',
  'server/src/drivers/builder/owner.ts',
  'server/src/drivers/builder/context/manifest.ts',
]

/** They let things happen seconds after each other on an engine: where too much else runs, another order comes of it. */
const QUIET = [
  'server/src/drivers/runtime/rollout/restore.test.ts',
  'server/src/drivers/runtime/watch/outcomes.test.ts',
  'server/test/deployments/running-logs.test.ts',
]

/**
 * All test files by kind. Told by what a file imports, directly or through others, so that nobody has to say it and nobody can say it
 * wrong. Whoever reaches for a part in a way that no import shows is stopped by reach.ts.
 */
export function testKinds(root: string = join(import.meta.dirname, '..'), platform: string = process.platform): Kinds {
  const kinds: Kinds = { unit: [], database: [], lab: [], quiet: [] }
  const imports = importsIn(root)
  const exclude = (path: string) => /(^|\/)(node_modules|dist)$/.test(path)
  for (const file of globSync(TESTS, { cwd: root, exclude }).sort()) kinds[kindOf(file, imports, platform)].push(file)
  return kinds
}

function kindOf(test: string, imports: (file: string) => string[], platform: string): Kind {
  if (QUIET.includes(test)) return 'quiet'
  const reached = new Set([test])
  // A set hands out what is added while it is walked.
  for (const file of reached) {
    if (file.startsWith('lab/') || (LINUX.includes(file) && platform !== 'linux')) return 'lab'
    if (file !== DATABASE) for (const next of imports(file)) reached.add(next)
  }
  return reached.has(DATABASE) ? 'database' : 'unit'
}

const STATIC = /^(?:import|export)\b(?!\s+type\b)(?:[^'"`;=(]*?\bfrom)?\s*['"](\.{1,2}\/[^'"]+)['"]/gm
const DYNAMIC = /\bimport\(\s*['"`](\.{1,2}\/[^'"`$]+)['"`]\s*\)/g

/** The files that a file imports by a relative path, types apart. Reading is by pattern: a parser would take seconds before every run. */
function importsIn(root: string): (file: string) => string[] {
  const known = new Map<string, string[]>()
  return (file) => {
    const before = known.get(file)
    if (before) return before
    const text = readFileSync(join(root, file), 'utf8')
    const found = [...text.matchAll(STATIC), ...text.matchAll(DYNAMIC)]
      .map(([, path = '']) => normalize(join(dirname(file), path)))
      .filter((path) => existsSync(join(root, path)))
    known.set(file, found)
    return found
  }
}
