import type { Server } from '@slipway/contract/servers'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { instanceQuery, serversQuery } from '../api/queries.ts'
import { useMay } from '../api/use-may.ts'
import { Command } from '../setup/command.tsx'
import { GatedButton } from '../ui/gated-button.tsx'
import { Bones, Card, Empty, Page, PageHead } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { Stale } from '../ui/stale.tsx'
import { Badge, Tag } from '../ui/tag.tsx'
import { Age } from '../ui/time.tsx'
import { useTitle } from '../ui/title.ts'
import { AddServer } from './add-server.tsx'
import { UseThisMachine } from './use-this-machine.tsx'
import { placeOf, reportInWords, stateOf } from './words.ts'

/** Where projects run. */
export function ServersPage() {
  useTitle('Servers · Slipway')
  const { add } = useSearch({ from: '/in/servers' })
  const navigate = useNavigate()
  const servers = useQuery(serversQuery)
  const may = useMay()
  const show = (isOpen: boolean) => void navigate({ to: '/servers', search: isOpen ? { add: 'ssh' } : {} })
  return (
    <Page>
      <PageHead title="Servers" note="Where your projects run: this machine, or others that are reached over SSH.">
        <GatedButton look="primary" reason={may('server:write')} onClick={() => show(true)}>
          Add a server
        </GatedButton>
      </PageHead>
      <Stale query={servers} />
      {servers.isPending && <Bones rows={3} />}
      {servers.isLoadingError && <Refused error={servers.error} onRetry={() => servers.refetch()} />}
      {servers.data && <Listed servers={servers.data} />}
      {add && <AddServer onClose={() => show(false)} />}
    </Page>
  )
}

function Listed({ servers }: { servers: Server[] }) {
  const { data: instance, isPending, failureCount } = useQuery(instanceQuery)
  // Whether something stands above them; where that is not answered at once, they are shown without.
  if (isPending && failureCount === 0) return <Bones rows={3} />
  const isOffered = instance?.mode === 'self_hosted' && !servers.some(({ kind }) => kind === 'local')
  return (
    <div className="space-y-4">
      {isOffered && <UseThisMachine />}
      {servers.length > 0 && (
        <Card>
          <ul className="divide-y divide-line">
            {servers.map((server) => (
              <ServerRow key={server.id} server={server} />
            ))}
          </ul>
        </Card>
      )}
      {servers.length === 0 && !isOffered && (
        <Empty title="No server yet">
          <p>A deployment needs one. The same from a terminal:</p>
          <div className="mt-4 text-left">
            <Command text="slipway servers add fra-1 192.0.2.10 --user deploy" />
          </div>
        </Empty>
      )}
    </div>
  )
}

function ServerRow({ server }: { server: Server }) {
  const { id, name, kind, lastReport } = server
  const { word, tone } = stateOf(server)
  return (
    <li>
      <Link
        to="/servers/$id"
        params={{ id }}
        data-row
        className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3 outline-offset-[-2px] hover:bg-hover/60"
      >
        <Tag tone={tone}>{word}</Tag>
        <span className="min-w-0 flex-1 basis-60">
          <span className="flex flex-wrap items-center gap-2">
            <span className="font-medium break-words">{name}</span>
            {kind === 'local' ? (
              <Badge>this machine</Badge>
            ) : (
              <span className="text-xs text-faint">{placeOf(server)}</span>
            )}
          </span>
          {lastReport && <span className="block text-xs text-soft num">{reportInWords(lastReport)}</span>}
        </span>
        {lastReport && (
          <span className="text-xs text-faint">
            checked <Age at={lastReport.checkedAt} />
          </span>
        )}
      </Link>
    </li>
  )
}
