import type { DeliveryDecision } from '@slipway/contract/githost-deliveries'
import { DECISION_CHOICES } from './words.ts'

export const GIT_TABS = [
  { name: 'connection', label: 'Connection' },
  { name: 'repositories', label: 'Repositories' },
  { name: 'deliveries', label: 'Deliveries' },
  { name: 'rules', label: 'Rules and keys' },
] as const
export type GitTab = (typeof GIT_TABS)[number]['name']

/** `repo`: the repository that is open, or whose deliveries are listed. */
export type GitView = {
  tab?: GitTab | undefined
  owner?: string | undefined
  q?: string | undefined
  repo?: string | undefined
  decision?: DeliveryDecision | undefined
}

/** What the address says; anything it says wrong is passed over. */
export function readGit(search: Record<string, unknown>): GitView {
  const text = (value: unknown, most: number) =>
    typeof value === 'string' && value !== '' ? value.slice(0, most) : undefined
  const repo = text(search.repo, 201)
  return {
    tab: GIT_TABS.find(({ name }) => name === search.tab)?.name,
    owner: text(search.owner, 100),
    q: text(search.q, 100),
    repo: repo && /^[^/\s]+\/[^/\s]+$/.test(repo) ? repo : undefined,
    decision: DECISION_CHOICES.find(({ value }) => value === search.decision)?.value,
  }
}
