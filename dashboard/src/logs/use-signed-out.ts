import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { meQuery } from '../api/queries.ts'
import type { Log } from './open-log.ts'
import { useConnection } from './use-log.ts'

/** A stream that is refused because the session has ended: the question who one is leads to the sign-in, and back here. */
export function useSignedOut(log: Log): void {
  const client = useQueryClient()
  const connection = useConnection(log)
  const isOut = connection.state === 'refused' && connection.status === 401
  useEffect(() => {
    if (isOut) void client.fetchQuery({ ...meQuery, staleTime: 0 }).catch(() => {})
  }, [client, isOut])
}
