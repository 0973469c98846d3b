import { Archive, GitBranch, Globe, History, LayoutGrid, type LucideIcon, Rocket, Server, Settings } from 'lucide-react'

type Address = '/' | '/deployments' | '/domains' | '/servers' | '/backups' | '/git' | '/activity' | '/settings'

/** A place of the sidebar: where, called what, the key after `g` that goes there, and the heading it stands under. */
export type Place = { to: Address; label: string; icon: LucideIcon; key: string; group?: 'Platform' }

/** The one table of places: sidebar, palette and keys are made of it. */
export const PLACES: Place[] = [
  { to: '/', label: 'Overview', icon: LayoutGrid, key: 'o' },
  { to: '/deployments', label: 'Deployments', icon: Rocket, key: 'd' },
  { to: '/domains', label: 'Domains', icon: Globe, key: 'm' },
  { to: '/servers', label: 'Servers', icon: Server, key: 's', group: 'Platform' },
  { to: '/backups', label: 'Backups', icon: Archive, key: 'b', group: 'Platform' },
  { to: '/git', label: 'Git host', icon: GitBranch, key: 'g', group: 'Platform' },
  { to: '/activity', label: 'Activity', icon: History, key: 'a', group: 'Platform' },
  { to: '/settings', label: 'Settings', icon: Settings, key: ',', group: 'Platform' },
]
