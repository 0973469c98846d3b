import { randomBytes } from 'node:crypto'

/**
 * What nobody but its owner may see, each kept in another place. `host`: a file of the engine's machine. `password` and
 * `outside`: what the victim sends to its database and to a name outside. `cookie`: what a visitor sends to the victim.
 * `metadata`: what a service of the machine's own network says to whoever asks. `loopback`: what a
 * service says that only the engine's machine itself can reach. `operator`: in an image that is on the engine alone.
 */
const KINDS = [
  'host',
  'volume',
  'variable',
  'image',
  'cache',
  'port',
  'database',
  'password',
  'outside',
  'cookie',
  'metadata',
  'loopback',
  'operator',
] as const

export type Kind = (typeof KINDS)[number]
export type Markers = Record<Kind, string>

export function newMarkers(): Markers {
  return Object.fromEntries(KINDS.map((kind) => [kind, `mark-${kind}-${randomBytes(12).toString('hex')}`])) as Markers
}

/** A program inside says this of what it could do and should not have been able to. */
const DONE = /^\s*WORKED .*$/gm

/** What of it shows up in a text, as sentences. */
export function seenIn(text: string, markers: Record<string, string>): string[] {
  const read = Object.entries(markers).flatMap(([kind, marker]) => (text.includes(marker) ? [`read: ${kind}`] : []))
  return [...new Set([...read, ...(text.match(DONE) ?? []).map((line) => line.trim())])]
}
