import type { Scope } from '@slipway/contract/permissions'
import type { ColumnType, Generated } from 'kysely'

type Time = ColumnType<Date, Date | string, Date | string>
type Created = ColumnType<Date, Date | string | undefined, never>

export type SignInTables = {
  /** Somebody new who has not typed the code of the mail yet. */
  signUp: {
    id: string
    /** Of the secret that stays with who asked. */
    requestHash: Buffer
    codeHash: Buffer
    email: string
    network: string
    tries: Generated<number>
    usedAt: Time | null
    expiresAt: Time
    createdAt: Created
  }
  /** A command line that asks to be signed in. */
  cliSignIn: {
    id: string
    requestHash: Buffer
    userCodeHash: Buffer
    /** The SHA-256 of the verifier. */
    challenge: Buffer
    name: string
    address: string
    /** Of the instance that asks to be linked; null: a command line. */
    instanceId: string | null
    redirect: string | null
    status: Generated<'pending' | 'approved' | 'denied' | 'used'>
    /** Who approved it and for which organization, with which session. */
    orgId: string | null
    userId: string | null
    sessionId: string | null
    scopes: Scope[] | null
    projectId: string | null
    /** Of the code that the browser brings; null where none is needed. */
    codeHash: Buffer | null
    codeExpiresAt: Time | null
    tokenId: string | null
    /** Verifiers and codes that did not fit. */
    wrong: Generated<number>
    intervalSeconds: Generated<number>
    polledAt: Time | null
    expiresAt: Time
    createdAt: Created
  }
}
