import { DriverFailure } from '../../errors.ts'

export type Mail = {
  /** One address, without a name. */
  to: string
  subject: string
  /** Plain text; there is no other kind. */
  text: string
  /** The same each time that a mail is sent once more, as `name@host` without brackets: whoever gets it twice can tell. */
  messageId: string
}

export interface MailDoor {
  /** Returns when the server has taken the mail; otherwise a MailFailure says why not. Aborted, it may have been taken all the same. */
  send(mail: Mail, signal: AbortSignal): Promise<void>
  /** Ends what is being sent. */
  close(): void
}

export type MailFailureCode =
  /** For good: the same mail would be refused again. */
  | 'mail_refused'
  /** For now: the server asks to come back later. */
  | 'mail_deferred'
  /** Nobody answered, or not as a mail server does. */
  | 'mail_unreachable'
  /** There is no TLS, or its certificate is not to be trusted; nothing was sent. */
  | 'mail_untrusted'
  /** The server does not take our user and password. */
  | 'mail_denied'

/** Status of the server's answer, where there was one. */
export type MailFailure = DriverFailure<'mail', MailFailureCode, { status?: number }>

/**
 * Without the words of the server and without a cause: what it says may repeat what it was told, and a mail carries codes that open
 * an account.
 */
export const mailFailure = (code: MailFailureCode, message: string, status?: number): MailFailure =>
  new DriverFailure('mail', code, message, { hint: hints[code], facts: status === undefined ? {} : { status } })

const hints: Record<MailFailureCode, string> = {
  mail_refused:
    'Check the address. If all mail is refused, the server may not send for the address in SLIPWAY_MAIL_FROM.',
  mail_deferred: 'It is tried again by itself.',
  mail_unreachable: 'Check SLIPWAY_SMTP_URL, that the mail server runs, and that this machine can reach it.',
  mail_untrusted:
    'Check that the server offers TLS and has a certificate for its name. One of an authority of your own is trusted with SLIPWAY_SMTP_CA_FILE.',
  mail_denied: 'Check user and password in SLIPWAY_SMTP_URL.',
}
