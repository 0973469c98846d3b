import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..')
/** The product, as far as a proof can meet it. */
const PRODUCT = ['contract/src', 'server/src', 'cli/src', 'package-lock.json']
const IMPORT = /(?:from|import)\s*\(?['"](\.[^'"]+\.ts)['"]/g

export type Subject = { proof: string; product: string }

/** What a proof says something about: its own files and the product, by their content. */
export function subjectOf(name: string): Subject {
  return { proof: digest(ownFiles(`proofs/${name}.ts`)), product: productDigest() }
}

let product: string | undefined
/** Read once: it is the same for all of them. */
function productDigest(): string {
  const listed = execFileSync('git', ['ls-files', '-z', ...PRODUCT], { cwd: ROOT, encoding: 'utf8' })
  product ??= digest(listed.split('\0').filter((file) => file !== '' && !file.endsWith('.test.ts')))
  return product
}

/** The proof's file and what it imports of `proofs/`, `test-kit/` and `lab/`. */
function ownFiles(first: string): string[] {
  const found = new Set([first])
  for (const file of found) {
    for (const [, path = ''] of readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORT)) {
      const imported = relative(ROOT, join(ROOT, dirname(file), path))
      if (/^(proofs|lab|test-kit)\//.test(imported) && !imported.startsWith('proofs/ledger/')) found.add(imported)
    }
  }
  return [...found].sort()
}

function digest(files: string[]): string {
  const hash = createHash('sha256')
  for (const file of files)
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(ROOT, file)))
      .update('\0')
  return hash.digest('hex').slice(0, 16)
}
