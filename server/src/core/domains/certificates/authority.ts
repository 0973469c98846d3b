import { newId } from '../../../db/ids.ts'
import type { AcmeAccount, AcmeFailure, AcmeTarget } from '../../../drivers/acme/acme.ts'
import { isFailure } from '../../../errors.ts'
import type { CertificateParts } from './parts.ts'
import * as store from './store.ts'

type Parts = Pick<CertificateParts, 'db' | 'keys' | 'config' | 'acme'>

export type Authority = { target: AcmeTarget; account: AcmeAccount }

/**
 * The instance's account at its CA. The key is kept before the CA hears of it: whoever dies in between, or begins at the
 * same moment, finds the same one, and the CA knows an account by its key.
 */
export async function authority(parts: Parts, signal: AbortSignal): Promise<Authority> {
  const target = await parts.acme.target()
  const known = await store.account(parts.db, target.directoryUrl)
  if (known?.url) return { target, account: { keyPem: openKey(parts, known), url: known.url } }
  const row = known ?? (await makeKey(parts, target.directoryUrl))
  const { contact } = parts.acme
  const account = await parts.acme.client.account(target, { keyPem: openKey(parts, row), contact, signal })
  await store.saveAccountUrl(parts.db, row.id, account.url)
  return { target, account }
}

/** Does something with the account; one that the CA does not know any more is made again, with the same key. */
export async function withAuthority<T>(parts: Parts, signal: AbortSignal, work: (own: Authority) => Promise<T>) {
  const own = await authority(parts, signal)
  return work(own).catch(async (error) => {
    const lost =
      isFailure<AcmeFailure>(error, 'acme') &&
      (error.code === 'account_refused' || error.facts.problem?.type.endsWith(':accountDoesNotExist'))
    if (!lost) throw error
    const row = await store.account(parts.db, own.target.directoryUrl)
    if (!row) throw error
    const { contact } = parts.acme
    const account = await parts.acme.client.account(own.target, { keyPem: openKey(parts, row), contact, signal })
    await store.saveAccountUrl(parts.db, row.id, account.url)
    return work({ target: own.target, account })
  })
}

async function makeKey({ db, keys, acme }: Parts, directoryUrl: string) {
  const id = newId('acc')
  const sealed = keys.seal(await acme.newKey(), place(id))
  await store.insertAccount(db, { id, directoryUrl, keySealed: sealed, url: null })
  const row = await store.account(db, directoryUrl)
  if (!row) throw new Error('The account of the CA is gone again.')
  return row
}

const openKey = ({ keys }: Parts, { id, keySealed }: { id: string; keySealed: string }) =>
  keys.open(keySealed, place(id))
const place = (id: string) => `acme_account/${id}/key`
