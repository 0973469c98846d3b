import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { LogOut } from 'lucide-react'
import { api } from '../api/client.ts'
import { meQuery } from '../api/queries.ts'
import { announce } from '../ui/announce.tsx'
import { Menu } from '../ui/menu.tsx'

export function PersonMenu() {
  const { data: me } = useQuery(meQuery)
  const signOut = useSignOut()
  return (
    <Menu
      align="start"
      items={[{ label: 'Sign out', icon: <LogOut size={14} aria-hidden />, onSelect: () => signOut.mutate() }]}
      trigger={
        <button
          type="button"
          className="flex min-w-0 flex-1 items-center gap-2 rounded-md p-1 text-left hover:bg-hover pointer-coarse:min-h-11"
        >
          <span
            className="grid size-7 shrink-0 place-items-center rounded-full bg-run-tint text-xs font-semibold text-run"
            aria-hidden
          >
            {me?.user.name.slice(0, 1).toUpperCase()}
          </span>
          <span className="min-w-0 flex-1">
            <span className="sr-only">You: </span>
            <span className="block truncate text-xs font-medium">{me?.user.name}</span>
            <span className="block truncate text-2xs text-faint">{me?.role}</span>
          </span>
        </button>
      }
    />
  )
}

export function useSignOut() {
  const client = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: () => api.auth.signOut(),
    onSuccess: async () => {
      await navigate({ to: '/sign-in' })
      client.clear()
    },
    onError: (error) => announce(error.message),
  })
}
