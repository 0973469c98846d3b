import { resolve } from 'node:path'
import { z } from 'zod'
import { isReadable } from './githost-config.ts'

/** What the environment says of mail; part of config.ts. */
export const mailEnvironment = {
  SLIPWAY_SMTP_URL: z
    .string()
    .refine(isMailServer, 'must begin with smtp:// or smtps://, with user and password before the host or neither')
    .optional(),
  SLIPWAY_MAIL_FROM: z.email('must be an email address').optional(),
  SLIPWAY_SMTP_CA_FILE: z.string().refine(isReadable, 'cannot be read').optional(),
}

export type MailConfig = {
  /** With user and password in it: it is shown nowhere. */
  url: string
  /** Whom all mail is from. */
  from: string
  /** Authorities that the server may be vouched for by, beside those this machine knows. */
  caFile: string | null
}

type Environment = z.output<z.ZodObject<typeof mailEnvironment>>

/** A server without a sender, or the other way round, is a mistake and not a choice. */
export function mailOf(e: Environment): MailConfig | null {
  const { SLIPWAY_SMTP_URL: url, SLIPWAY_MAIL_FROM: from, SLIPWAY_SMTP_CA_FILE: caFile } = e
  if (url === undefined && from === undefined) return null
  if (url === undefined || from === undefined) {
    const missing = url === undefined ? 'SLIPWAY_SMTP_URL' : 'SLIPWAY_MAIL_FROM'
    throw new Error(
      `Slipway cannot start: its environment is not right.\n  ${missing}: is not set, and mail needs both SLIPWAY_SMTP_URL and SLIPWAY_MAIL_FROM`,
    )
  }
  return { url, from, caFile: caFile === undefined ? null : resolve(caFile) }
}

function isMailServer(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password, pathname, search, hash } = new URL(text)
  const isBare = ['', '/'].includes(pathname) && search === '' && hash === ''
  const isDecodable = [username, password].every(isEncodedText)
  return (
    ['smtp:', 'smtps:'].includes(protocol) &&
    hostname !== '' &&
    isBare &&
    isDecodable &&
    (username === '') === (password === '')
  )
}

function isEncodedText(text: string): boolean {
  try {
    return decodeURIComponent(text) !== null
  } catch {
    return false
  }
}
