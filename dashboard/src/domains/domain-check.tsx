import type { Domain } from '@slipway/contract/domains'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { CHECK_MS, domainCheckQuery, domainsQuery } from '../api/domains.ts'
import { Button } from '../ui/button.tsx'
import { Refused } from '../ui/refused.tsx'
import { useNow } from '../ui/time.tsx'
import { DnsTable } from './dns-table.tsx'

/** Below a name that does not lead here: what is found, what is wanted, and when it is looked at again. */
export function DomainChecked({ projectId, domain }: { projectId: string; domain: Domain }) {
  const { host, dns } = domain
  const client = useQueryClient()
  const check = useQuery(domainCheckQuery(projectId, host))
  const leads = check.data ?? dns
  const isRight = check.data?.ok === true
  useEffect(() => {
    // The list has what the server itself saw last: it is told by asking anew.
    if (isRight) void client.invalidateQueries({ queryKey: domainsQuery(projectId).queryKey })
  }, [isRight, client, projectId])
  return (
    <div className="mt-3 space-y-2.5">
      {leads && <p className={leads.ok ? 'text-ok' : 'text-ask'}>{leads.message}</p>}
      {leads && !leads.ok && <DnsTable host={host} leads={leads} />}
      {check.isError && <Refused error={check.error} onRetry={() => check.refetch()} />}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-faint">
        {check.isPending ? <span>Looking …</span> : <Looked at={check.dataUpdatedAt} isRight={isRight} />}
        <Button size="sm" look="quiet" busy={check.isFetching} onClick={() => check.refetch()}>
          Look now
        </Button>
      </div>
    </div>
  )
}

function Looked({ at, isRight }: { at: number; isRight: boolean }) {
  useNow()
  // Both by this machine's clock: it is this page that asked.
  const since = Math.max(0, Math.round((Date.now() - at) / 1000))
  const next = Math.max(0, Math.round(CHECK_MS / 1000) - since)
  return (
    <span className="num">
      looked {since} s ago{!isRight && ` · again in ${next} s`}
    </span>
  )
}
