export const SETTINGS_TABS = [
  { name: 'profile', label: 'Profile' },
  { name: 'members', label: 'Members' },
  { name: 'roles', label: 'Roles' },
  { name: 'tokens', label: 'Tokens' },
  { name: 'registries', label: 'Registries' },
  { name: 'instance', label: 'Instance' },
  { name: 'cloud', label: 'Cloud' },
] as const
export type SettingsTab = (typeof SETTINGS_TABS)[number]['name']

/** `make`: the form for a new token is open. */
export type SettingsView = { tab?: SettingsTab | undefined; make?: 'token' | undefined }

/** What the address says; what is no tab is the first one. */
export function readSettings(search: Record<string, unknown>): SettingsView {
  const tab = SETTINGS_TABS.find(({ name }) => name === search.tab)?.name
  return { tab, make: tab === 'tokens' && search.make === 'token' ? 'token' : undefined }
}
