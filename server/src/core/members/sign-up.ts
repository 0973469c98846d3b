import { timingSafeEqual } from 'node:crypto'
import { type Tx, transaction } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import { Refusal } from '../../errors.ts'
import type { People } from '../access/people.ts'
import * as people from '../access/people-store.ts'
import { hashSecret, newCode } from '../access/secrets.ts'
import { hashUserCode, newUserCode, readUserCode } from '../access/user-code.ts'
import { record } from '../audit/record.ts'
import { postMail, sayMailPosted } from '../mail/outbox.ts'
import { networkOf } from '../networks/network-of.ts'
import type { BaseParts } from '../parts.ts'
import * as store from './sign-up-store.ts'
import * as members from './store.ts'

const LIFE_MINUTES = 15
/** A code has 40 bits: five tries find one in two hundred billion. */
const MOST_TRIES = 5
/** In an hour. Beyond that an address gets no more mail, which nobody is told; a network is told. */
const MOST_MAILS = 5
const MOST_FROM_NETWORK = 30

type Parts = Pick<BaseParts, 'db' | 'keys' | 'config' | 'changes'>
type Origin = { address: string; requestId: string }

/**
 * Somebody wants an account and an organization of their own. Account enumeration: the answer is the same whether the address has
 * an account or not, and only its owner reads which. The secret of the request stays with who asked, so that a code which somebody
 * else had sent to an address is of no use to its owner's own attempt, nor the other way round.
 */
export async function askToSignUp({ db, keys, config, changes }: Parts, { email }: { email: string }, from: Origin) {
  if (config.mail === null) throw closed()
  const [signUpId, code] = [newCode(), newUserCode()]
  const network = networkOf(from.address)
  const { expiresAt, isMailed } = await transaction(db, async (tx) => {
    const asked = await store.countAsked(tx, { email, network })
    if (asked.byNetwork >= MOST_FROM_NETWORK) throw tooMany()
    const known = await people.findByEmail(tx, email)
    const row = {
      id: newId('sgn'),
      requestHash: hashSecret(signUpId),
      codeHash: hashUserCode(keys, code),
      email,
      network,
    }
    const made = await store.insert(
      tx,
      known ? { ...row, codeHash: hashUserCode(keys, newUserCode()) } : row,
      LIFE_MINUTES,
    )
    const isMailed = asked.byEmail < MOST_MAILS
    if (isMailed) await postMail(tx, { keys }, { to: email, ...(known ? knownMail(config) : codeMail(config, code)) })
    return { ...made, isMailed }
  })
  if (isMailed) sayMailPosted({ changes })
  return { success: true as const, signUpId, expiresAt: expiresAt.toISOString() }
}

type Input = { signUpId: string; code: string; name: string; password: string; organization: string }

/** The code proves that the address is theirs: the person and the organization are made in one transaction. */
export async function finishSignUp(
  { db, keys, people: who }: Pick<Parts, 'db' | 'keys'> & { people: People },
  input: Input,
  origin: Origin,
) {
  const requestHash = hashSecret(input.signUpId)
  const found = await store.countTry(db, requestHash, MOST_TRIES)
  const code = readUserCode(input.code)
  if (!found || code === null || !timingSafeEqual(found.codeHash, hashUserCode(keys, code))) throw wrongCode()
  // Hashing is slow on purpose: only for whoever has the code, and never inside a transaction.
  const password = await who.hashPassword(input.password)
  return transaction(db, async (tx) => {
    const used = await store.use(tx, requestHash)
    if (!used) throw wrongCode()
    const person = await people.insertNew(tx, {
      id: newId('usr'),
      name: input.name,
      email: used.email,
      emailVerified: true,
    })
    if (!person) throw hasAccount()
    await people.setPassword(tx, person.id, password)
    const orgId = await ownOrganization(tx, person, input.organization, origin)
    return { success: true as const, organizationId: orgId }
  })
}

async function ownOrganization(
  tx: Tx,
  { id: userId, name }: { id: string; name: string },
  title: string,
  origin: Origin,
) {
  const orgId = newId('org')
  await people.insertOrganization(tx, { id: orgId, name: title })
  await members.insert(tx, { orgId, userId, role: 'owner' })
  const actor = { kind: 'session', orgId, userId, userName: name, role: 'owner', ...origin } as const
  const signedOut = { credentialId: '', scopes: null, projectId: null, expiresAt: null } as const
  await record(tx, { ...actor, ...signedOut }, 'organization.sign_up', orgId, { name: title })
  return orgId
}

type Where = { publicUrl: string }

const codeMail = ({ publicUrl }: Where, code: string) => ({
  subject: 'Your code for Slipway',
  text: `${code}

Type this code where you began to sign up at ${publicUrl}. It is good for ${LIFE_MINUTES} minutes.

If that was not you, do nothing: without the code there is no account.
`,
})

const knownMail = ({ publicUrl }: Where) => ({
  subject: 'You have an account at Slipway',
  text: `Somebody, probably you, wanted to sign up at ${publicUrl} with this address. It has an account already: sign in with it.

If that was not you, do nothing: nothing was changed.
`,
})

const closed = () =>
  new Refusal('sign_up_closed', 'This cloud takes nobody new: it has no way to send mail.', {
    hint: 'Whoever runs it sets SLIPWAY_SMTP_URL and SLIPWAY_MAIL_FROM.',
  })

const tooMany = () =>
  new Refusal('rate_limited', `More than ${MOST_FROM_NETWORK} people wanted to sign up from this network in an hour.`, {
    retryAfter: 600,
    hint: 'Wait some minutes and try again.',
  })

const wrongCode = () =>
  new Refusal('invalid_code', 'The code does not fit, was used already, tried too often, or has expired.', {
    field: 'code',
    hint: 'Compare it with the mail, or sign up again. If it was used, sign in.',
  })

/** They have proved that the address is theirs, so they may know. */
const hasAccount = () =>
  new Refusal('name_taken', 'This address has an account meanwhile.', { field: 'email', hint: 'Sign in with it.' })
