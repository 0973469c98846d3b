import type { Server } from '@slipway/contract/servers'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../api/client.ts'
import { instanceQuery, serversQuery } from '../api/queries.ts'
import { useMay } from '../api/use-may.ts'
import { useWrite } from '../api/use-write.ts'
import { CheckLines } from '../servers/check-lines.tsx'
import { GatedButton } from '../ui/gated-button.tsx'
import { Refused } from '../ui/refused.tsx'
import { Command } from './command.tsx'

/** This machine is offered first; ready means lines that are right, not that something was added. */
export function ServerStep() {
  const { data: servers = [] } = useQuery(serversQuery)
  const { data: instance } = useQuery(instanceQuery)
  const may = useMay()
  const check = useCheck()
  const isOffered = instance?.mode === 'self_hosted' && !servers.some(({ kind }) => kind === 'local')
  return (
    <>
      <p>Where your projects run: this machine, or others that are reached over SSH.</p>
      {servers.map((server) => (
        <Checked
          key={server.id}
          server={server}
          reason={may('server:write')}
          onCheck={() => check.mutate(server.id)}
          busy={check.isPending}
        />
      ))}
      <Refused error={check.error} />
      {isOffered && (
        <GatedButton
          look="primary"
          reason={may('server:admin')}
          busy={check.isPending}
          onClick={() => check.mutate(null)}
        >
          Use this machine
        </GatedButton>
      )}
      <p>
        <Link to="/servers" search={{ add: 'ssh' }} className="font-medium text-brand underline underline-offset-4">
          Add one over SSH
        </Link>
        , here or from a terminal:
      </p>
      <Command text="slipway servers add fra-1 192.0.2.10 --user deploy" />
    </>
  )
}

/** Looks at a server; null: at this machine, which is added first, and once however often it is tried. */
const useCheck = () =>
  useWrite<string | null>({
    send: async (known, headers) => {
      const id = known ?? (await api.servers.create({ body: { kind: 'local', name: 'here' }, headers })).id
      await api.servers.check({ params: { id } })
    },
    refresh: [serversQuery.queryKey],
  })

type Props = { server: Server; reason: string | null; onCheck(): void; busy: boolean }

function Checked({ server: { name, lastReport }, reason, onCheck, busy }: Props) {
  return (
    <div className="rounded-lg border border-line p-3">
      <div className="flex items-center justify-between gap-3">
        <p className="font-medium text-ink">{name}</p>
        <GatedButton size="sm" reason={reason} busy={busy} onClick={onCheck}>
          Check
        </GatedButton>
      </div>
      {lastReport ? (
        <div className="mt-2">
          <CheckLines checks={lastReport.checks} />
        </div>
      ) : (
        <p className="mt-1 text-xs">Not looked at yet.</p>
      )}
    </div>
  )
}
