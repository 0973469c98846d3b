import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface ArrivedMail {
  subject: string
  text: string
  /** By their names in small letters, with what encoded words mean. */
  headers: Record<string, string>
}

/** What lies in a maildir, oldest first: names of its files begin with the moment. */
export function mailsIn(folder: string): ArrivedMail[] {
  const arrived = join(folder, 'new')
  if (!existsSync(arrived)) return []
  return readdirSync(arrived)
    .sort()
    .map((name) => parseMail(readFileSync(join(arrived, name), 'utf8')))
}

/** Whom the server delivered it to, whatever its other headers say. */
export const addressOf = ({ headers }: ArrivedMail): string => headers['envelope-to'] ?? ''

/** As much of the format as a plain text of one part uses. */
function parseMail(raw: string): ArrivedMail {
  const [, head = '', body = ''] = /^([\s\S]*?)\r?\n\r?\n([\s\S]*)$/.exec(raw) ?? []
  const lines = head.replaceAll(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)
  const headers = Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':')
      return [line.slice(0, at).toLowerCase(), decodedWords(line.slice(at + 1).trim())]
    }),
  )
  return { subject: headers.subject ?? '', text: decoded(body, headers['content-transfer-encoding']), headers }
}

function decoded(body: string, encoding = '7bit'): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8')
  return encoding === 'quoted-printable' ? unquoted(body.replaceAll(/=\r?\n/g, '')) : body
}

/** `=?UTF-8?Q?…?=` and `=?UTF-8?B?…?=`; blanks between two of them mean nothing. */
const decodedWords = (text: string) =>
  text
    .replaceAll(/(\?=)\s+(=\?)/g, '$1$2')
    .replaceAll(/=\?utf-8\?([qb])\?([^?]*)\?=/gi, (_, way: string, word: string) =>
      way.toLowerCase() === 'b' ? Buffer.from(word, 'base64').toString('utf8') : unquoted(word.replaceAll('_', ' ')),
    )

const unquoted = (text: string) =>
  Buffer.from(
    text.replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8')
