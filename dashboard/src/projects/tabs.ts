/** The sides of a project, in their order; the first one is the address without anything. */
export const PROJECT_TABS = [
  { name: 'overview', label: 'Overview' },
  { name: 'usage', label: 'Usage' },
  { name: 'domains', label: 'Domains' },
  { name: 'variables', label: 'Variables' },
  { name: 'services', label: 'Services' },
  { name: 'settings', label: 'Settings' },
] as const
export type ProjectTab = (typeof PROJECT_TABS)[number]['name']

/** What the address says; anything else is the first side. */
export function readProjectTab(search: Record<string, unknown>): { tab?: ProjectTab } {
  const tab = PROJECT_TABS.find(({ name }) => name === search.tab)?.name
  return tab && tab !== 'overview' ? { tab } : {}
}
