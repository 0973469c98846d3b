import { getRouteApi } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { CloudTab } from '../cloud/cloud-tab.tsx'
import { ProfileTab } from '../me/profile-tab.tsx'
import { MembersTab } from '../members/members-tab.tsx'
import { RegistriesTab } from '../registries/registries-tab.tsx'
import { TokensTab } from '../tokens/tokens-tab.tsx'
import { Page, PageHead } from '../ui/page.tsx'
import { TabLinks } from '../ui/tab-links.tsx'
import { useTitle } from '../ui/title.ts'
import { InstanceTab } from './instance-tab.tsx'
import { RolesTab } from './roles-tab.tsx'
import { SETTINGS_TABS, type SettingsTab } from './tabs.ts'

const route = getRouteApi('/in/settings')

const SIDES: Record<SettingsTab, ComponentType> = {
  profile: ProfileTab,
  members: MembersTab,
  roles: RolesTab,
  tokens: TokensTab,
  registries: RegistriesTab,
  instance: InstanceTab,
  cloud: CloudTab,
}

export function SettingsPage() {
  const { tab = 'profile' } = route.useSearch()
  const Side = SIDES[tab]
  useTitle(`${SETTINGS_TABS.find(({ name }) => name === tab)?.label} · Settings · Slipway`)
  return (
    <Page>
      <PageHead title="Settings" />
      <TabLinks label="Settings" to="/settings" tabs={SETTINGS_TABS} current={tab} />
      <Side />
    </Page>
  )
}
