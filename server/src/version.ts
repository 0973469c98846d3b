import { readFileSync } from 'node:fs'

/** Both src/ and dist/ lie right below these files, and so do the programs of a release. */
const beside = (file: string) => JSON.parse(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'))

/** As package.json says. */
export const VERSION: string = beside('package.json').version

/** Of which a release was made; a checkout has its own way to tell. */
export const COMMIT: string | null = commitOfRelease()

function commitOfRelease(): string | null {
  try {
    return beside('release.json').commit
  } catch {
    return null
  }
}
