import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import type { Log } from '../../logs/open-log.ts'
import { useOpenLog } from '../../logs/use-log.ts'

const REFRESH_MS = 400

/**
 * One stream per page: it carries the log and tells when the deployment has changed. What it became is always asked for:
 * two accounts of the same thing would one day differ.
 */
export function useDeploymentLog(id: string, projectId: string): Log | null {
  const client = useQueryClient()
  const address = `/api/deployments/${id}`
  const source = useMemo(
    () => ({ kind: 'numbered' as const, rows: `${address}/logs?format=rows`, stream: `${address}/stream` }),
    [address],
  )
  const askAgain = useCallback(
    (log: Log) => {
      let timer: ReturnType<typeof setTimeout> | undefined
      const refresh = () => {
        timer = undefined
        for (const queryKey of [
          ['deployment', id],
          ['project', projectId, 'serving'],
        ])
          void client.invalidateQueries({ queryKey })
      }
      log.onHappening(() => {
        timer ??= setTimeout(refresh, REFRESH_MS)
      })
      return () => clearTimeout(timer)
    },
    [client, id, projectId],
  )
  return useOpenLog(source, askAgain)
}
