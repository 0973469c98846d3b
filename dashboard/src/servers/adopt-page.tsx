import type { MigrationStack } from '@slipway/contract/migration-shape'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import { scanQuery, serverQuery } from '../api/servers.ts'
import { Button } from '../ui/button.tsx'
import { Bones, Empty, Page, PageHead } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { Caution } from '../ui/tag.tsx'
import { useTitle } from '../ui/title.ts'
import { AdoptForm } from './adopt-form.tsx'
import { type Group, groupsOf } from './found-groups.ts'
import { ScanGroup } from './scan-group.tsx'

/** What runs on a server and belongs to nobody here yet. Looking changes nothing there, and neither does adopting. */
export function AdoptPage() {
  const { id } = useParams({ from: '/in/servers/$id/adopt' })
  const { data: server } = useQuery(serverQuery(id))
  const scan = useQuery(scanQuery(id))
  const name = server?.name ?? 'the server'
  useTitle(`Adopt from ${name} · Slipway`)
  return (
    <Page>
      <p className="mb-2 text-xs text-faint">
        <Link to="/servers" className="hover:underline">
          Servers
        </Link>{' '}
        ›{' '}
        <Link to="/servers/$id" params={{ id }} className="hover:underline">
          {name}
        </Link>
      </p>
      <PageHead
        title={`Adopt from ${name}`}
        note="Stacks and containers that run there, and what could become a project."
      >
        <Button busy={scan.isFetching} onClick={() => scan.refetch()}>
          Look again
        </Button>
      </PageHead>
      {scan.isPending && (
        <>
          <p role="status" className="mb-3 text-soft">
            Looking at containers, volumes and compose files. This takes up to a minute, and you may leave.
          </p>
          <Bones rows={4} />
        </>
      )}
      {scan.isError && <Refused error={scan.error} className="mb-4" onRetry={() => scan.refetch()} />}
      {scan.data && <Found key={scan.dataUpdatedAt} serverId={id} server={name} stack={scan.data} />}
    </Page>
  )
}

function Found({ serverId, server, stack }: { serverId: string; server: string; stack: MigrationStack }) {
  const groups = groupsOf(stack)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const toggle = (keys: string[], isOn: boolean) =>
    setChosen((now) => new Set(isOn ? [...now, ...keys] : [...now].filter((key) => !keys.includes(key))))
  return (
    <>
      <p className="mb-4 flex items-center gap-2 rounded-lg bg-ok-tint px-3 py-2 text-ok">
        <ShieldCheck size={16} className="shrink-0" aria-hidden /> Nothing on {server} has been changed.
      </p>
      <div className="space-y-3">
        {stack.warnings.map((text) => (
          <Caution key={text}>{text}</Caution>
        ))}
        {groups.length === 0 && (
          <Empty title="Nothing runs there that could be adopted">
            <p>There is no compose stack and no container on {server}.</p>
          </Empty>
        )}
        {groups.map((group) => (
          <ScanGroup key={group.key} group={group} chosen={chosen} onToggle={toggle} />
        ))}
      </div>
      {chosen.size > 0 && <AdoptForm serverId={serverId} chosen={[...chosen]} usualName={nameFor(groups, chosen)} />}
    </>
  )
}

/** After the stack that the first of them belongs to. */
const nameFor = (groups: Group[], chosen: ReadonlySet<string>): string => {
  const first = groups.find(({ services }) => services.some(({ key }) => chosen.has(key)))
  const service = first?.services.find(({ key }) => chosen.has(key))
  return (first?.isStack ? first.name : service?.serviceName) ?? ''
}
