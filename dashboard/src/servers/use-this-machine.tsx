import type { Server } from '@slipway/contract/servers'
import { useNavigate } from '@tanstack/react-router'
import { MonitorCheck } from 'lucide-react'
import { api } from '../api/client.ts'
import { useMay } from '../api/use-may.ts'
import { useWrite } from '../api/use-write.ts'
import { GatedButton } from '../ui/gated-button.tsx'
import { Card } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'

/** The machine that Slipway itself runs on is offered first: nothing has to be set up for it. */
export function UseThisMachine() {
  const may = useMay()
  const navigate = useNavigate()
  const add = useWrite<void, Server>({
    send: (_, headers) => api.servers.create({ body: { kind: 'local', name: 'here' }, headers }),
    refresh: [['servers']],
    onDone: ({ id }) => void navigate({ to: '/servers/$id', params: { id } }),
  })
  return (
    <Card>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3 p-4">
        <MonitorCheck size={20} className="shrink-0 text-faint" aria-hidden />
        <p className="min-w-0 flex-1 basis-60">
          <span className="block font-medium">This machine</span>
          <span className="block text-soft text-pretty">
            Projects run beside Slipway, on the engine that is here already.
          </span>
        </p>
        <GatedButton reason={may('server:admin')} busy={add.isPending} onClick={() => add.mutate()}>
          Use this machine
        </GatedButton>
      </div>
      <Refused error={add.error} className="m-4 mt-0" />
    </Card>
  )
}
