import { Refusal } from '../../errors.ts'

export const MOST_FILE_BYTES = 512 * 1024
export const MOST_DEPTH = 60
export const MOST_PATH = 4096
/** Services that extend one another in a row. */
export const MOST_EXTENDS = 50

/** Each is far above what any project needs, and low enough that reaching it takes well under a second. */
const MOST = {
  /** Values after aliases, merges and `extends` are written out: what an alias bomb multiplies. */
  values: [30_000, 'values, once aliases and extends are written out'],
  /** Marks and words of YAML: what takes the parser's time. Some eight to a line. */
  tokens: [60_000, 'words and marks'],
  /** Characters after variables are filled in. */
  characters: [8 * 1024 * 1024, 'characters, once variables are filled in'],
  files: [200, 'files'],
  ports: [5000, 'ports, once ranges are written out'],
} as const

/** What one reading may use up, whatever its files say. */
export class Budget {
  private readonly used = { values: 0, tokens: 0, characters: 0, files: 0, ports: 0 }

  spend(kind: keyof typeof MOST, amount = 1): void {
    this.used[kind] += amount
    const [most, what] = MOST[kind]
    if (this.used[kind] <= most) return
    throw new Refusal('too_large', `The compose files hold more than ${most} ${what}.`, {
      hint: 'Split the project, or take out aliases, extends and includes that multiply each other.',
    })
  }
}
