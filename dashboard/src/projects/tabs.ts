import type { RuntimeLook } from '../logs/runtime-log.tsx'

/** The sides of a project, in their order; the first one is the address without anything. */
export const PROJECT_TABS = [
  { name: 'overview', label: 'Overview' },
  { name: 'logs', label: 'Logs' },
  { name: 'usage', label: 'Usage' },
  { name: 'domains', label: 'Domains' },
  { name: 'variables', label: 'Variables' },
  { name: 'services', label: 'Services' },
  { name: 'settings', label: 'Settings' },
] as const
export type ProjectTab = (typeof PROJECT_TABS)[number]['name']

/** What of a project is looked at. */
export type ProjectView = RuntimeLook & { tab?: ProjectTab | undefined }

/** What the address says; anything else is the first side. What the log shows means nothing on the others. */
export function readProjectView(search: Record<string, unknown>): ProjectView {
  const tab = PROJECT_TABS.find(({ name }) => name === search.tab)?.name
  if (tab === undefined || tab === 'overview') return {}
  if (tab !== 'logs') return { tab }
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value.slice(0, 300) : undefined)
  return { tab, service: text(search.service), find: text(search.find), only: search.only === '1' ? '1' : undefined }
}
