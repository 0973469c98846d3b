import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { serverQuery } from '../api/servers.ts'

/** Looks at a server now. What it answers with is shown, and nothing before it. */
export function useCheck(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => api.servers.check({ params: { id } }),
    onSuccess: ({ server }) => client.setQueryData(serverQuery(id).queryKey, server),
    onSettled: () => client.invalidateQueries({ queryKey: ['servers'] }),
  })
}
