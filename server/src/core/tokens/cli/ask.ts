import type { CliRequest } from '@slipway/contract/cli-login'
import { newId } from '../../../db/ids.ts'
import { Refusal } from '../../../errors.ts'
import { hashSecret, newCode } from '../../access/secrets.ts'
import { hashUserCode, newUserCode } from '../../access/user-code.ts'
import type { BaseParts } from '../../parts.ts'
import * as store from './store.ts'
import { countRequest } from './tries.ts'

/** As long as somebody needs to find a browser and a password. */
const LIFE_MINUTES = 10
const INTERVAL_SECONDS = 5

type Parts = Pick<BaseParts, 'db' | 'keys' | 'config'>

/**
 * A command line asks to be signed in: the device flow (RFC 8628), or with a redirect that of a native app (RFC 8252). An instance asks
 * to be linked by the device flow alone. Nobody is known yet. Whoever asked has the secret of the request and the verifier; a person gets to see the user code.
 */
export async function askToSignIn({ db, keys, config }: Parts, input: CliRequest, from: { address: string }) {
  if (input.instance) refuseUnfitting(config, input)
  await countRequest(db, from.address)
  const requestId = newCode()
  const row = {
    requestHash: hashSecret(requestId),
    challenge: Buffer.from(input.challenge, 'base64url'),
    name: input.instance?.name ?? input.name,
    instanceId: input.instance?.id ?? null,
    address: from.address,
    redirect: input.redirect ?? null,
  }
  for (let attempt = 0; attempt < MOST_COLLISIONS; attempt++) {
    const userCode = newUserCode()
    const taken = { ...row, id: newId('clr'), userCodeHash: hashUserCode(keys, userCode) }
    const made = await store.insert(db, taken, LIFE_MINUTES)
    if (!made) continue
    // A link has the code in it only where the token goes to the machine that opened it (RFC 8628, 5.4).
    const verifyUrl = `${config.publicUrl}${row.redirect === null ? '/device' : `/cli?code=${userCode}`}`
    const life = { expiresAt: made.expiresAt.toISOString(), expiresIn: LIFE_MINUTES * 60 }
    return { requestId, userCode, verifyUrl, ...life, interval: INTERVAL_SECONDS }
  }
  throw new Error('no user code was free')
}

const MOST_COLLISIONS = 5

function refuseUnfitting({ mode }: Pick<Parts['config'], 'mode'>, { redirect }: CliRequest): void {
  if (mode !== 'cloud') {
    throw new Refusal('invalid_request', 'Instances are linked to a hosted cloud, and this is none.', {
      field: 'instance',
      hint: 'Check the address in SLIPWAY_CLOUD_URL.',
    })
  }
  if (redirect !== undefined) {
    throw new Refusal('invalid_request', 'An instance that asks to be linked has no browser to be led back to.', {
      field: 'redirect',
      hint: 'Leave the redirect out: the code is typed at /device.',
    })
  }
}
