import type { Tx } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import type { Mail, MailDoor, MailFailure } from '../../drivers/mail/mail.ts'
import { isFailure } from '../../errors.ts'
import type { BaseParts } from '../parts.ts'
import * as store from './outbox-store.ts'

export type SendParts = Pick<BaseParts, 'db' | 'keys' | 'config' | 'mailDoor' | 'log'>
type Keys = Pick<BaseParts, 'keys'>

/** Said between processes after a transaction that posted something. */
export const MAIL_POSTED = 'mail-posted'

const AT_ONCE = 4
const FIRST_DELAY_MS = 5000
const MOST_DELAY_MS = 30 * 60_000

const placeOf = (id: string) => `mail/${id}/text`

/**
 * A transactional outbox: the mail is sent if and only if the caller's transaction is committed, by whichever worker comes first.
 * The text is sealed, for there may be a code in it; subject and address are not. After the commit, `sayMailPosted` makes it quick.
 */
export async function postMail(tx: Tx, { keys }: Keys, mail: Omit<Mail, 'messageId'>): Promise<{ id: string }> {
  const id = newId('eml')
  const text = keys.seal(mail.text, placeOf(id))
  await store.insert(tx, { id, toAddress: mail.to, subject: mail.subject, text })
  return { id }
}

/** Without it a mail waits for the next look of a worker, a few seconds. */
export const sayMailPosted = ({ changes }: Pick<BaseParts, 'changes'>): void => changes.send(MAIL_POSTED)

/**
 * Sends what is due, a few at a time, until nothing is. At-least-once: a process that dies after the server took a mail and before
 * the row says so leaves it to the end of its lease, and it is sent again with the same Message-ID. Run twice at once, each row is
 * sent by one of them. A row is claimed when its turn has come, so that no lease runs while it waits.
 */
export async function sendDueMail(parts: SendParts, signal: AbortSignal): Promise<number> {
  const { db, mailDoor } = parts
  if (mailDoor === null || signal.aborted) return 0
  let count = 0
  const sendFrom = async (first: store.DueMail) => {
    for (let due: store.DueMail | undefined = first; due; [due] = signal.aborted ? [] : await store.claim(db, 1)) {
      count += 1
      await sendOne(parts, mailDoor, due, signal)
    }
  }
  const ends = await Promise.allSettled((await store.claim(db, AT_ONCE)).map(sendFrom))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  return count
}

async function sendOne(parts: SendParts, door: MailDoor, due: store.DueMail, signal: AbortSignal): Promise<void> {
  if (due.isLate) return giveUp(parts, due, 'not sent in a day')
  try {
    await door.send(opened(parts, due), signal)
  } catch (error) {
    return putOff(parts, due, error, signal)
  }
  await store.markSent(parts.db, due.id)
}

const opened = ({ keys, config }: SendParts, { id, toAddress: to, subject, text }: store.DueMail): Mail => {
  const host = config.mail?.from.split('@').at(-1) ?? 'localhost'
  return { to, subject, text: keys.open(text, placeOf(id)), messageId: `${id}@${host}` }
}

async function putOff(parts: SendParts, due: store.DueMail, error: unknown, signal: AbortSignal): Promise<void> {
  const { db, log } = parts
  // Whoever comes next has it at once. The server may have taken it all the same: then it arrives twice.
  if (signal.aborted) return void (await store.markDeferred(db, due, { delayMs: 0, error: 'interrupted' }))
  if (!isFailure<MailFailure>(error, 'mail')) {
    log.error({ err: error, mail: due.id }, 'a mail could not be sent for a reason that nobody foresaw')
    return void (await store.markDeferred(db, due, { delayMs: delayOf(due), error: 'unexpected' }))
  }
  const said = `${error.code}: ${error.message}`
  if (error.code === 'mail_refused') return giveUp(parts, due, said)
  log.warn({ mail: due.id, attempts: due.attempts, code: error.code, hint: error.hint }, 'a mail is tried again later')
  await store.markDeferred(db, due, { delayMs: delayOf(due), error: said })
}

async function giveUp({ db, log }: SendParts, due: store.DueMail, reason: string): Promise<void> {
  if (await store.markFailed(db, due, reason)) log.warn({ mail: due.id, reason }, 'a mail was given up')
}

/** Exponential backoff with jitter: what failed together does not come back together. */
const delayOf = ({ attempts }: store.DueMail) =>
  Math.min(FIRST_DELAY_MS * 2 ** (attempts - 1), MOST_DELAY_MS) * (0.8 + Math.random() * 0.4)
