import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../..')

/** The shell blocks of a page, or of the part below one of its headings, as they stand there. */
export function blocksOf(page: string, heading?: string): string[] {
  const whole = readFileSync(join(root, page), 'utf8')
  const text = heading === undefined ? whole : whole.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0]
  if (text === undefined) throw new Error(`${page} has no part "${heading}"`)
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block)
}
