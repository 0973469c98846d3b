import { Refusal } from '../../errors.ts'

/** What the narrowest common system takes: a path that fits can be unpacked anywhere below a build directory. */
const MOST_BYTES = 1024
const MOST_NAME_BYTES = 255
const MOST_NAMES = 100

/** Refuses what is not a plain relative path. The one place that decides it, for both ways of uploading. */
export function checkPath(path: string): void {
  const fault = textFault(path) ?? nameFault(path)
  if (!fault) return
  throw new Refusal('invalid_path', `The path ${quoted(path)} ${fault}.`, {
    hint: 'Paths are relative to the folder, such as src/index.html.',
  })
}

/** Refuses a link target that is not plain relative text; where it leads is another question. */
export function checkTarget(path: string, target: string): void {
  const fault = textFault(target)
  if (fault) throw badLink(path, `points to ${quoted(target)}, which ${fault}`)
}

export const badLink = (path: string, fault: string) =>
  new Refusal('invalid_link', `The link ${quoted(path)} ${fault}.`, {
    hint: 'Links must be relative and stay inside the folder; leave this one out or replace it by the file.',
  })

function textFault(text: string): string | undefined {
  if (text === '') return 'is empty'
  if (text.startsWith('/')) return 'is absolute'
  if (!text.isWellFormed() || text.includes('\ufffd')) return 'is not valid UTF-8'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\0-\x1f\x7f]/.test(text)) return 'contains a control character'
  if (text.includes('\\')) return 'contains a backslash; directories are separated by /'
  if (Buffer.byteLength(text) > MOST_BYTES) return `is longer than ${MOST_BYTES} bytes`
  if (text.split('/').length > MOST_NAMES) return `is nested deeper than ${MOST_NAMES} directories`
  return undefined
}

function nameFault(path: string): string | undefined {
  for (const name of path.split('/')) {
    if (name === '..') return 'contains ".."'
    if (name === '') return 'contains an empty name'
    if (name === '.') return 'contains "."'
    if (Buffer.byteLength(name) > MOST_NAME_BYTES) return `has a name longer than ${MOST_NAME_BYTES} bytes`
  }
  return undefined
}

/** Escaped and cut: messages go to terminals and logs. */
export const quoted = (text: string) => JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text)
