import { type Tx, transaction } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import { Refusal } from '../../errors.ts'
import * as people from '../access/people-store.ts'
import { hashSecret, newTokenSecret } from '../access/secrets.ts'
import { record } from '../audit/record.ts'
import { invite } from '../members/invite.ts'
import * as members from '../members/store.ts'
import type { BaseParts } from '../parts.ts'
import * as tokens from '../tokens/store.ts'

type Input = { email: string; organization: string; again: boolean; days: number }

/**
 * The first organization and its owner. Only someone who can read the instance's own secrets can run this: there is no
 * first visitor who becomes its owner. `again` lets an owner back in, or makes another organization for someone new.
 */
export async function bootstrap({ db, config }: Pick<BaseParts, 'db' | 'config'>, input: Input) {
  const secret = newTokenSecret()
  const expiresAt = new Date(Date.now() + input.days * 24 * 3600 * 1000)
  const tokenId = newId('tok')
  const orgId = await transaction(db, async (tx) => {
    await people.lockForBootstrap(tx)
    if (!input.again && (await people.anyOwner(tx))) throw hasOwner()
    const owner = await ensureOwner(tx, input)
    const token = {
      id: tokenId,
      ...owner,
      name: 'bootstrap',
      hash: hashSecret(secret),
      hint: secret.slice(0, 8),
      expiresAt,
    }
    await tokens.insert(tx, { ...token, scopes: null, projectId: null })
    await record(tx, actorIn(owner.orgId), 'organization.bootstrap', owner.orgId, {
      email: input.email,
      token: tokenId,
    })
    return owner.orgId
  })
  const asked = { email: input.email, role: 'owner', setup: true, tokenId } as const
  const { link } = await invite({ db, config }, actorIn(orgId), asked)
  return { orgId, token: secret, expiresAt, link }
}

async function ensureOwner(tx: Tx, input: Input): Promise<{ orgId: string; userId: string }> {
  const known = await people.findByEmail(tx, input.email)
  const owned = known && (await people.ownedBy(tx, known.id))
  if (known && owned) return { orgId: owned, userId: known.id }
  const userId = known?.id ?? newId('usr')
  if (!known) await people.insert(tx, { id: userId, name: input.email, email: input.email })
  else await people.clearPassword(tx, userId)
  // Whoever made this account, such as an organization by its own invitation, is not to own the new one with it.
  await people.endSessions(tx, userId, null)
  const orgId = newId('org')
  await people.insertOrganization(tx, { id: orgId, name: input.organization })
  await members.insert(tx, { orgId, userId, role: 'owner' })
  return { orgId, userId }
}

const actorIn = (orgId: string) => ({ kind: 'system', name: 'slipway admin bootstrap', orgId }) as const

const hasOwner = () =>
  new Refusal('name_taken', 'This instance has an owner already.', {
    hint: 'Sign in as an owner. With --again an owner of that email gets a new token and setup link, and a new email a new organization.',
  })
