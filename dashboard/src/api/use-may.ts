import type { Scope } from '@slipway/contract/permissions'
import { useQuery } from '@tanstack/react-query'
import { meQuery } from './queries.ts'

/** Why this person may not do something, to be said where it is; null: they may, or it is not known yet and the server will say. */
export function useMay(): (permission: Scope) => string | null {
  const { data: me } = useQuery(meQuery)
  return (permission) =>
    !me || me.permissions.includes(permission) ? null : `Your role ${me.role} may not do this: it needs ${permission}.`
}
