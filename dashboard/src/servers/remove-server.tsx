import type { Server } from '@slipway/contract/servers'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { useMay } from '../api/use-may.ts'
import { useWrite } from '../api/use-write.ts'
import { Confirm } from '../ui/confirm.tsx'
import { GatedButton } from '../ui/gated-button.tsx'

export function RemoveServer({ server: { id, name, kind } }: { server: Server }) {
  const [isAsking, setAsking] = useState(false)
  const navigate = useNavigate()
  const may = useMay()
  const remove = useWrite<void>({
    send: (_, headers) => api.servers.remove({ params: { id }, headers }),
    refresh: [['servers'], ['overview']],
    onDone: () => void navigate({ to: '/servers' }),
  })
  const open = () => {
    remove.begin()
    setAsking(true)
  }
  return (
    <>
      <GatedButton reason={may('server:admin')} onClick={open}>
        Remove
      </GatedButton>
      <Confirm
        open={isAsking}
        title={`Remove ${name}?`}
        consequences={[
          'Slipway forgets the server, its checks and what it allows. It cannot be deployed to any more.',
          'The edge that leads names to it, and the mark that it belongs to this organization, are taken away there if it can be reached.',
          ...(kind === 'ssh'
            ? ['The key that Slipway made for it is gone. The line in authorized_keys there stays until you remove it.']
            : []),
          'Containers and volumes on it are not touched. While a project still uses it, it is not removed.',
        ]}
        verb="Remove"
        danger
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate()}
        onClose={() => setAsking(false)}
      />
    </>
  )
}
