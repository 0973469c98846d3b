import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Box, Keyboard, ListChecks, LogOut, Monitor, Moon, Plus, Rocket, Sun } from 'lucide-react'
import type { ReactNode } from 'react'
import { deploymentsQuery, projectsQuery } from '../api/queries.ts'
import { headline, shown } from '../deployments/words.ts'
import { useSignOut } from './person-menu.tsx'
import { PLACES } from './places.ts'
import { chooseTheme } from './theme.ts'

export type Entry = { value: string; label: string; note?: string; icon: ReactNode; run(): void }
export type Group = { value: string; items: Entry[] }

export function usePaletteEntries(onKeys: () => void): Group[] {
  const places = usePlaces()
  const deployments = useDeployments()
  const signOut = useSignOut()
  const commands: Entry[] = [
    { value: 'dark', label: 'Use the dark theme', icon: <Moon size={15} />, run: () => chooseTheme('dark') },
    { value: 'light', label: 'Use the light theme', icon: <Sun size={15} />, run: () => chooseTheme('light') },
    { value: 'system', label: 'Use the system’s theme', icon: <Monitor size={15} />, run: () => chooseTheme('system') },
    { value: 'keys', label: 'Show all keys', note: '?', icon: <Keyboard size={15} />, run: onKeys },
    { value: 'sign-out', label: 'Sign out', icon: <LogOut size={15} />, run: () => signOut.mutate() },
  ]
  return [
    { value: 'Go to', items: places },
    { value: 'Deployments', items: deployments },
    { value: 'Commands', items: commands },
  ].filter(({ items }) => items.length > 0)
}

function usePlaces(): Entry[] {
  const navigate = useNavigate()
  const { data: projects = [] } = useQuery(projectsQuery)
  return [
    ...PLACES.map(({ to, label, icon: Icon, key }) => ({
      value: `go ${to}`,
      label,
      note: `g ${key}`,
      icon: <Icon size={15} />,
      run: () => void navigate({ to }),
    })),
    {
      value: 'go new',
      label: 'New project',
      icon: <Plus size={15} />,
      run: () => void navigate({ to: '/new' }),
    },
    {
      value: 'go setup',
      label: 'Setup',
      icon: <ListChecks size={15} />,
      run: () => void navigate({ to: '/setup' }),
    },
    ...projects.map(({ id, name }) => ({
      value: id,
      label: name,
      note: 'project',
      icon: <Box size={15} />,
      run: () => void navigate({ to: '/projects/$id', params: { id } }),
    })),
  ]
}

function useDeployments(): Entry[] {
  const navigate = useNavigate()
  const { data: projects = [] } = useQuery(projectsQuery)
  const { data } = useInfiniteQuery(deploymentsQuery({}))
  const names = new Map(projects.map(({ id, name }) => [id, name]))
  return (data?.pages[0]?.data ?? []).map((one) => ({
    value: one.id,
    // The number first: of a long name the end is cut.
    label: `#${one.number} ${names.get(one.projectId) ?? ''}  ${headline(one)}`,
    note: shown(one).word,
    icon: <Rocket size={15} />,
    run: () => void navigate({ to: '/deployments/$id', params: { id: one.id } }),
  }))
}
