import { getRouteApi } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { Page, PageHead } from '../ui/page.tsx'
import { TabLinks } from '../ui/tab-links.tsx'
import { useTitle } from '../ui/title.ts'
import { ConnectionTab } from './connection-tab.tsx'
import { DeliveriesTab } from './deliveries-tab.tsx'
import { RepositoriesTab } from './repositories-tab.tsx'
import { RulesTab } from './rules-tab.tsx'
import { GIT_TABS, type GitTab } from './view.ts'

const route = getRouteApi('/in/git')

const SIDES: Record<GitTab, ComponentType> = {
  connection: ConnectionTab,
  repositories: RepositoriesTab,
  deliveries: DeliveriesTab,
  rules: RulesTab,
}

export function GitPage() {
  const { tab = 'connection' } = route.useSearch()
  const Side = SIDES[tab]
  useTitle(`${GIT_TABS.find(({ name }) => name === tab)?.label} · Git host · Slipway`)
  return (
    <Page>
      <PageHead title="Git host" note="Pushes deploy by themselves, and private repositories can be read." />
      <TabLinks label="Git host" to="/git" tabs={GIT_TABS} current={tab} />
      <Side />
    </Page>
  )
}
