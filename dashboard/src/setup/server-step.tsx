import type { Server } from '@slipway/contract/servers'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../api/client.ts'
import { instanceQuery, meQuery, serversQuery } from '../api/queries.ts'
import { CheckLines } from '../servers/check-lines.tsx'
import { Button } from '../ui/button.tsx'
import { Refused } from '../ui/refused.tsx'
import { Command } from './command.tsx'

/** This machine is offered first; ready means lines that are right, not that something was added. */
export function ServerStep() {
  const { data: servers = [] } = useQuery(serversQuery)
  const { data: instance } = useQuery(instanceQuery)
  const { data: me } = useQuery(meQuery)
  const check = useCheck()
  const mayWrite = me?.permissions.includes('server:write') === true
  const isOffered = mayWrite && instance?.mode === 'self_hosted' && !servers.some(({ kind }) => kind === 'local')
  return (
    <>
      <p>Where your projects run: this machine, or others that are reached over SSH.</p>
      {servers.map((server) => (
        <Checked
          key={server.id}
          server={server}
          onCheck={mayWrite ? () => check.mutate(server) : null}
          busy={check.isPending}
        />
      ))}
      <Refused error={check.error} />
      {isOffered && (
        <Button look="primary" busy={check.isPending} onClick={() => check.mutate(null)}>
          Use this machine
        </Button>
      )}
      <p>
        <Link to="/servers" search={{ add: 'ssh' }} className="font-medium text-brand hover:underline">
          Add one over SSH
        </Link>
        , here or from a terminal:
      </p>
      <Command text="slipway servers add fra-1 192.0.2.10 --user deploy" />
    </>
  )
}

/** Looks at a server; null: at this machine, which is added first. */
function useCheck() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (server: Server | null) => {
      const { id } = server ?? (await api.servers.create({ body: { kind: 'local', name: 'here' } }))
      await api.servers.check({ params: { id } })
    },
    onSettled: () => client.invalidateQueries({ queryKey: serversQuery.queryKey }),
  })
}

type Props = { server: Server; onCheck: (() => void) | null; busy: boolean }

function Checked({ server: { name, lastReport }, onCheck, busy }: Props) {
  return (
    <div className="rounded-lg border border-line p-3">
      <div className="flex items-center justify-between gap-3">
        <p className="font-medium text-ink">{name}</p>
        {onCheck && (
          <Button size="sm" busy={busy} onClick={onCheck}>
            Check
          </Button>
        )}
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
