import { LayoutGrid, type LucideIcon, Rocket } from 'lucide-react'

/** A place of the sidebar: where, called what, the key after `g` that goes there, and the heading it stands under. */
export type Place = { to: '/' | '/deployments'; label: string; icon: LucideIcon; key: string; group?: 'Platform' }

/** The one table of places: sidebar, palette and keys are made of it. */
export const PLACES: Place[] = [
  { to: '/', label: 'Overview', icon: LayoutGrid, key: 'o' },
  { to: '/deployments', label: 'Deployments', icon: Rocket, key: 'd' },
]
