import { DriverFailure } from '../../errors.ts'
import { type MailFailure, mailFailure } from './mail.ts'

/** What nodemailer says of an error, as far as it is read here. */
type Seen = { code?: string; originalCode?: string; responseCode?: number; response?: string; message?: string }

/** The server wants a login, a better one or another. */
const LOGIN_WANTED = new Set([530, 534, 535, 538])
const OF_TLS = /^(?:ETLS|ERR_TLS|ERR_SSL|EPROTO$|CERT_|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH)/

export const untakenLogin = () => mailFailure('mail_denied', 'The mail server offers no way to log in.')

/** By where in the conversation it happened and by the status of the answer, whose words are left where they are. */
export function explain(error: unknown, isLate: boolean): unknown {
  if (error instanceof DriverFailure) return error
  if (isLate) return mailFailure('mail_unreachable', 'The mail server did not answer in time.')
  const seen = error as Seen
  const { code = '', originalCode = '', responseCode: status } = seen
  if (!/^E[A-Z]+$/.test(code)) return error
  if (code === 'EAUTH' || code === 'ENOAUTH' || LOGIN_WANTED.has(status ?? 0)) return unauthorized(seen)
  if (OF_TLS.test(code) || OF_TLS.test(originalCode))
    return mailFailure('mail_untrusted', `No safe connection to the mail server: ${originalCode || 'no TLS'}.`)
  if (code === 'EENVELOPE' || code === 'EMESSAGE') return untaken(seen)
  if (isForNow(status))
    return mailFailure('mail_deferred', `The mail server asks to come back later (${status}).`, status)
  const why = status === undefined ? originalCode || code : `it answered ${status}`
  return mailFailure('mail_unreachable', `The mail server cannot be used: ${why}.`, status)
}

function unauthorized({ responseCode: status }: Seen): MailFailure {
  if (isForNow(status))
    return mailFailure('mail_deferred', `The mail server takes no login at present (${status}).`, status)
  return mailFailure('mail_denied', 'The mail server does not take our login.', status)
}

/** 503 says that the conversation went wrong, and not that this mail is unwanted. */
function untaken({ responseCode: status, response = '' }: Seen): MailFailure {
  const said = [status, /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1]].filter(Boolean).join(' ')
  if (status === undefined || status < 500 || status === 503)
    return mailFailure(
      'mail_deferred',
      `The mail server did not take the mail for now (${said || 'no status'}).`,
      status,
    )
  return mailFailure('mail_refused', `The mail server refuses the mail (${said}).`, status)
}

const isForNow = (status: number | undefined) => status !== undefined && status >= 400 && status < 500
