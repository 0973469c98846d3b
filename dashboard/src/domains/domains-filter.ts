import type { Domain } from '@slipway/contract/domains'
import { domainInWords } from './domain-words.ts'

export type DomainsFilter = { project?: string | undefined; state?: 'wrong' | 'right' | undefined }

/** What the address says; anything it says wrong is passed over. */
export function readDomainsFilter(search: Record<string, unknown>): DomainsFilter {
  const project = typeof search.project === 'string' && /^prj_\w+$/.test(search.project) ? search.project : undefined
  const state = search.state === 'wrong' || search.state === 'right' ? search.state : undefined
  return { project, state }
}

/** Wrong is what somebody has to see to. */
export function isShown(domain: Domain, { state }: DomainsFilter): boolean {
  if (state === undefined) return true
  const { tone } = domainInWords(domain)
  return (tone === 'ask' || tone === 'bad') === (state === 'wrong')
}
