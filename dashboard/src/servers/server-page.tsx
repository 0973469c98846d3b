import type { Server } from '@slipway/contract/servers'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { instanceQuery } from '../api/queries.ts'
import { serverQuery } from '../api/servers.ts'
import { useMay } from '../api/use-may.ts'
import { GatedButton } from '../ui/gated-button.tsx'
import { Bones, Card, Page, PageHead } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { Section } from '../ui/section.tsx'
import { Stale } from '../ui/stale.tsx'
import { Tag } from '../ui/tag.tsx'
import { Age } from '../ui/time.tsx'
import { useTitle } from '../ui/title.ts'
import { ChangeServer } from './change-server.tsx'
import { CheckLines } from './check-lines.tsx'
import { HostKeyChanged } from './host-key-changed.tsx'
import { RemoveServer } from './remove-server.tsx'
import { SshAccess } from './ssh-access.tsx'
import { UsageNow } from './usage-now.tsx'
import { useCheck } from './use-check.ts'
import { placeOf, reportInWords, stateOf } from './words.ts'

export function ServerPage() {
  const { id } = useParams({ from: '/in/servers/$id' })
  const query = useQuery(serverQuery(id))
  const server = query.data
  useTitle(`${server?.name ?? 'Server'} · Slipway`, server ? stateOf(server).tone : null)
  if (!server)
    return (
      <Page>
        {query.isPending ? <Bones rows={4} /> : <Refused error={query.error} onRetry={() => query.refetch()} />}
      </Page>
    )
  return (
    <Page>
      <p className="mb-2 text-xs text-faint">
        <Link to="/servers" className="hover:underline">
          Servers
        </Link>{' '}
        › {server.name}
      </p>
      <Stale query={query} />
      <Checked server={server} />
      {server.kind === 'ssh' && <SshAccess key={server.hostKey ?? 'none'} server={server} />}
      {server.lastReport?.ok && <UsageNow id={id} />}
      <Ends server={server} />
    </Page>
  )
}

/** How it was found to be, and the way to look again. */
function Checked({ server }: { server: Server }) {
  const { id, name, lastReport } = server
  const check = useCheck(id)
  const may = useMay()
  const { word, tone } = stateOf(server)
  return (
    <>
      <PageHead
        title={name}
        note={[placeOf(server), lastReport && reportInWords(lastReport)].filter(Boolean).join(' · ')}
      >
        <Tag tone={tone}>{word}</Tag>
        <ChangeServer server={server} />
        <GatedButton
          look={lastReport === null ? 'primary' : 'plain'}
          reason={may('server:write')}
          busy={check.isPending}
          onClick={() => check.mutate()}
        >
          {check.isPending ? 'Looking' : 'Check'}
        </GatedButton>
      </PageHead>
      <HostKeyChanged server={server} onTrusted={() => check.mutate()} />
      <Card className="mb-8">
        <div className="p-4" aria-live="polite" aria-busy={check.isPending}>
          {lastReport ? (
            <>
              <p className="mb-3 text-xs text-faint">
                Checked <Age at={lastReport.checkedAt} />
              </p>
              <CheckLines checks={lastReport.checks} />
            </>
          ) : (
            <p className="text-soft text-pretty">
              Not looked at yet. A check looks at the connection, the engine, Swarm, ports and disk, and says what to do
              about each.
            </p>
          )}
          <Refused error={check.error} className="mt-3" />
        </div>
      </Card>
    </>
  )
}

function Ends({ server }: { server: Server }) {
  const { data: instance } = useQuery(instanceQuery)
  return (
    <>
      {instance?.mode === 'self_hosted' && (
        <Section
          title="What runs there already"
          note="Compose stacks and containers can become projects, with their data where it is. Looking changes nothing on the server."
          action={
            <Link
              to="/servers/$id/adopt"
              params={{ id: server.id }}
              className="inline-flex h-8 items-center rounded-md border border-line bg-surface px-3 font-medium shadow-card hover:bg-hover pointer-coarse:h-11"
            >
              Look at it
            </Link>
          }
        >
          {null}
        </Section>
      )}
      <Section
        title="Remove"
        action={<RemoveServer server={server} />}
        note="Slipway forgets the server. What runs there goes on."
      >
        {null}
      </Section>
    </>
  )
}
