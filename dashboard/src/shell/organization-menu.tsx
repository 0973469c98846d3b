import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Check, ChevronsUpDown } from 'lucide-react'
import { api } from '../api/client.ts'
import { meQuery, organizationsQuery } from '../api/queries.ts'
import { announce } from '../ui/announce.tsx'
import { Menu } from '../ui/menu.tsx'
import { Mark } from './mark.tsx'

/** In which organization one works, and the way to another. */
export function OrganizationMenu() {
  const { data: me } = useQuery(meQuery)
  const { data: organizations = [] } = useQuery(organizationsQuery)
  const change = useOrganizationChange()
  const items = organizations.map(({ id, name, role }) => ({
    label: name,
    note: role,
    icon: <Check size={14} className={id === me?.organization.id ? '' : 'invisible'} aria-hidden />,
    onSelect: () => id !== me?.organization.id && change.mutate(id),
  }))
  return (
    <Menu
      align="start"
      items={items}
      trigger={
        <button
          type="button"
          className="flex items-center gap-2.5 rounded-md p-1.5 text-left hover:bg-hover pointer-coarse:min-h-11"
        >
          <Mark />
          <span className="min-w-0 flex-1">
            <span className="sr-only">Organization: </span>
            <span className="block truncate leading-4 font-semibold tracking-tight">{me?.organization.name}</span>
            <span className="block truncate text-2xs text-faint">{location.host}</span>
          </span>
          <ChevronsUpDown size={14} className="text-faint" aria-hidden />
        </button>
      }
    />
  )
}

function useOrganizationChange() {
  const client = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: (organizationId: string) => api.me.activate({ body: { organizationId } }),
    onSuccess: async () => {
      // Ids of one organization mean nothing in another: nothing of what was seen stays, and what is shown is asked for anew.
      await navigate({ to: '/' })
      await client.resetQueries()
    },
    onError: (error) => announce(error.message),
  })
}
