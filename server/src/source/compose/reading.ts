import type { Place, Warning } from './faults.ts'
import type { Budget } from './limits.ts'
import type { Sources } from './sources.ts'
import { type Dict, isDict } from './values.ts'

export type ComposeOptions = {
  /** Laid over each other in this order; without it, the usual names are looked for. */
  files?: string[]
  /** Where paths in the files are seen from, and `.env` is looked for; without it, the folder of the first file. */
  folder?: string
  /** Read instead of `.env`. */
  envFiles?: string[]
  profiles?: string[]
  environment: Record<string, string>
  projectName: string
}

/** What every part of one reading shares. */
export type Reading = { sources: Sources; budget: Budget; origins: Origins; warn(warning: Warning): void }

/** Where a set of files is read from and with which variables; an included project has its own. */
export type Scope = {
  files: string[]
  /** Paths in the files are seen from here. */
  folder: string
  environment: ReadonlyMap<string, string>
  /** The files that led here through `include`. */
  including: readonly string[]
}

/** Which file said something about a key, so that what turns out wrong later can be found. */
export class Origins {
  private readonly files = new Map<string, string>()

  note(model: Dict, file: string): void {
    for (const [section, entries] of Object.entries(model)) {
      this.files.set(section, file)
      if (!isDict(entries)) continue
      for (const [name, keys] of Object.entries(entries)) {
        this.files.set(`${section}\0${name}`, file)
        for (const key of isDict(keys) ? Object.keys(keys) : []) this.files.set(`${section}\0${name}\0${key}`, file)
      }
    }
  }

  at(...path: string[]): Place {
    for (let depth = Math.min(path.length, 3); depth > 0; depth--) {
      const file = this.files.get(path.slice(0, depth).join('\0'))
      if (file !== undefined) return { file, path }
    }
    return { file: '', path }
  }
}
