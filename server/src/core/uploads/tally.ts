import { Refusal } from '../../errors.ts'
import type { BaseParts } from '../parts.ts'
import { quoted } from './paths.ts'

export type Limits = BaseParts['config']['upload']

export type Tally = { readonly files: number; readonly bytes: number; add(path: string, size: number): void }

/** Counts a folder's entries as they become known and stops at the first that is over a limit. */
export function tally(limits: Limits): Tally {
  let files = 0
  let bytes = 0
  return {
    get files() {
      return files
    },
    get bytes() {
      return bytes
    },
    add(path, size) {
      files += 1
      bytes += size
      if (files > limits.files) {
        throw over(`The folder has more than ${limits.files} files`, 'for files in a folder', 'SLIPWAY_UPLOAD_FILES')
      }
      if (size > limits.fileBytes) {
        const fault = `The file ${quoted(path)} is larger than ${limits.fileBytes} bytes`
        throw over(fault, 'for one file', 'SLIPWAY_UPLOAD_FILE_BYTES')
      }
      if (bytes > limits.totalBytes) {
        throw over(`The folder is larger than ${limits.totalBytes} bytes`, 'for a folder', 'SLIPWAY_UPLOAD_TOTAL_BYTES')
      }
    },
  }
}

const over = (fault: string, what: string, setting: string) =>
  new Refusal('too_large', `${fault}, the limit ${what}.`, {
    hint: `Leave out what is not needed (such as node_modules), or raise ${setting} on the server.`,
  })
