import { isIP } from 'node:net'
import type { Instruction } from './instructions.ts'
import type { Expansion } from './variables.ts'

export type RemoteSources = { allowed: string[] } | { line: number; message: string }

/**
 * What ADD fetches, the engine fetches in its own network: an address or a name of the machine itself would read what
 * listens only for the machine, such as a cloud's metadata. Answers with the addresses that may be fetched (`*` where a
 * variable makes the rest), for a source policy that denies every other: also what a base image adds by ONBUILD.
 */
export function remoteSources(
  instructions: Instruction[],
  expand: (word: string) => Expansion[],
  allowed: 'names' | 'none',
): RemoteSources {
  const found = new Set<string>()
  for (const { name, rest, line } of instructions) {
    if (name !== 'ADD') continue
    for (const { text, open } of wordsOf(rest).flatMap(expand)) {
      const host = hostOf(text)
      if (host === null && !(open && couldBecomeAddress(text))) continue
      const shown = text.slice(0, 100)
      if (host === null || (open && !hostIsWhole(text))) {
        return { line, message: `What ADD fetches from ${shown}… cannot be told; write the address without variables.` }
      }
      if (allowed === 'none') {
        return { line, message: `ADD of ${shown} is not allowed on this server; fetch it with RUN instead.` }
      }
      if (!isOutside(host)) {
        return { line, message: `ADD of ${shown} is not allowed: it may lead to the server itself. Use a public name.` }
      }
      found.add(open ? `${text}*` : text)
    }
  }
  return { allowed: [...found] }
}

const wordsOf = (rest: string) => rest.split(/[\s,[\]]+/).filter((word) => word !== '' && !word.startsWith('--'))

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i

/** `user@host:path` is git's; a bare `github.com/…` is too. Null: a path of the context. */
function hostOf(text: string): string | null {
  const [, scp] = /^[\w.-]+@([^:/\s]+):/.exec(text) ?? []
  if (scp !== undefined) return scp
  if (/^github\.com\//i.test(text)) return 'github.com'
  if (!SCHEME.test(text)) return null
  try {
    return new URL(text.replace(SCHEME, 'http://')).hostname
  } catch {
    return ''
  }
}

const couldBecomeAddress = (text: string) => text === '' || /^[a-z][a-z0-9+.-]*(?::\/{0,2})?$/i.test(text)
const hostIsWhole = (text: string) => /^[a-z][a-z0-9+.-]*:\/\/[^/?#]+[/?#]/i.test(text)

const LOCAL = /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|lan|home|corp|private|test|invalid|arpa)$/i

/** A name with a public ending. Addresses in any spelling are none: URL has written them out. */
function isOutside(host: string): boolean {
  const name = host.replace(/\.$/, '')
  if (isIP(name.replace(/^\[|\]$/g, '')) !== 0) return false
  return /^(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/i.test(name) && !LOCAL.test(name)
}
