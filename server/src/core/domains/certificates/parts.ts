import type { Acme, AcmeTarget } from '../../../drivers/acme/acme.ts'
import type { BaseParts } from '../../parts.ts'

/** What those need who look after names and their certificates. */
export type CertificateParts = BaseParts & { acme: AuthorityParts }

/** The CA that certificates come from. */
export type AuthorityParts = {
  enabled: boolean
  client: Acme
  target(): Promise<AcmeTarget>
  contact: string[]
  newKey(): Promise<string>
  /** Sets records of our own zones, for wildcards; null: none may be changed. */
  dns: DnsUpdates | null
}

type DnsUpdates = {
  put(name: string, value: string, options: { signal: AbortSignal }): Promise<void>
  remove(name: string, value: string, options: { signal: AbortSignal }): Promise<void>
}
