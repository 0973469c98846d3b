import type { Domain, DomainCheck } from '@slipway/contract/domains'
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { CHECK_MS, domainCheckQuery, domainsQuery } from '../api/domains.ts'
import { Button } from '../ui/button.tsx'
import { Refused } from '../ui/refused.tsx'
import { useNow } from '../ui/time.tsx'
import { DnsTable } from './dns-table.tsx'
import { DomainMenu } from './domain-menu.tsx'
import { DomainRow } from './domain-row.tsx'
import { isHereOnly } from './here-only.ts'

/** A name of a project. One that does not lead here, as far as is known, is looked up while somebody looks at it. */
export function CheckedDomain({ projectId, domain }: { projectId: string; domain: Domain }) {
  const client = useQueryClient()
  const check = useQuery({ ...domainCheckQuery(projectId, domain.host), enabled: isDoubtful(domain) })
  const isRight = check.data?.ok === true
  useEffect(() => {
    // The list has what the server itself saw last: it is told by asking anew.
    if (isRight) void client.invalidateQueries({ queryKey: domainsQuery(projectId).queryKey })
  }, [isRight, client, projectId])
  const { dns } = domain
  const seen = check.data ? { ...check.data, checkedAt: new Date(check.dataUpdatedAt).toISOString() } : dns
  return (
    <DomainRow domain={{ ...domain, dns: seen }} action={<DomainMenu projectId={projectId} domain={domain} />}>
      {isDoubtful(domain) && <Lookup host={domain.host} check={check} before={dns} />}
    </DomainRow>
  )
}

/** A name of the instance itself is looked after by its operator, unless it was found to be wrong. */
const isDoubtful = ({ host, kind, dns }: Domain) =>
  !isHereOnly(host) && (kind === 'custom' ? dns?.ok !== true : dns?.ok === false)

type LookupProps = { host: string; check: UseQueryResult<DomainCheck>; before: Domain['dns'] }

/** What is found, what is wanted, and when it is looked at again. */
function Lookup({ host, check, before }: LookupProps) {
  const leads = check.data ?? before
  return (
    <div className={`mt-3 space-y-2.5 ${leads ? '' : 'min-h-36'}`}>
      {leads && <p className={`text-pretty ${leads.ok ? 'text-ok' : 'text-ask'}`}>{leads.message}</p>}
      {leads && !leads.ok && <DnsTable host={host} leads={leads} />}
      {leads && !leads.ok && leads.found.addresses.length > 0 && !host.startsWith('*.') && (
        <p className="text-xs text-faint text-pretty">
          Where a proxy in front of it hides the address, the TXT record is enough.
        </p>
      )}
      {check.isError && <Refused error={check.error} onRetry={() => check.refetch()} />}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-faint">
        {check.isPending ? <span>Looking …</span> : <Looked at={check.dataUpdatedAt} isRight={leads?.ok === true} />}
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
