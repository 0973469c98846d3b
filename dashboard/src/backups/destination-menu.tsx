import type { BackupDestination } from '@slipway/contract/backup-destinations'
import { MoreHorizontal, PencilLine, Star, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { destinationsQuery } from '../api/queries.ts'
import { useMay } from '../api/use-may.ts'
import { useWrite } from '../api/use-write.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Menu } from '../ui/menu.tsx'

type Props = { destination: BackupDestination; onChange(): void }

export function DestinationMenu({ destination: { id, name, isDefault }, onChange }: Props) {
  const may = useMay()
  const [asking, setAsking] = useState<'default' | 'remove' | null>(null)
  const write = useWrite<'default' | 'remove'>({
    send: (what, headers) =>
      what === 'remove'
        ? api.backupDestinations.remove({ params: { id }, headers })
        : api.backupDestinations.update({ params: { id }, body: { isDefault: true }, headers }),
    refresh: [destinationsQuery.queryKey],
    onDone: () => setAsking(null),
  })
  const ask = (what: 'default' | 'remove') => {
    write.begin()
    setAsking(what)
  }
  const mayWrite = may('backup_destination:write')
  return (
    <>
      <Menu
        label={`Actions for ${name}`}
        items={[
          { label: 'Change', icon: <PencilLine size={14} />, reason: mayWrite, onSelect: onChange },
          {
            label: 'Make it the default',
            icon: <Star size={14} />,
            reason: isDefault ? 'It is the default already.' : mayWrite,
            onSelect: () => ask('default'),
          },
          {
            label: 'Remove',
            icon: <Trash2 size={14} />,
            danger: true,
            reason: may('backup_destination:admin'),
            onSelect: () => ask('remove'),
          },
        ]}
        trigger={
          <Button size="icon">
            <MoreHorizontal size={16} aria-hidden />
          </Button>
        }
      />
      <Confirm
        open={asking !== null}
        {...QUESTIONS[asking ?? 'default'](name)}
        busy={write.isPending}
        error={write.error}
        onConfirm={() => asking && write.mutate(asking)}
        onClose={() => setAsking(null)}
      />
    </>
  )
}

const QUESTIONS = {
  default: (name: string) => ({
    title: `Make ${name} the default?`,
    consequences: [
      'Backups that name no destination go there from now on.',
      'The default before it stays as a destination.',
    ],
    verb: 'Make it the default',
  }),
  remove: (name: string) => ({
    title: `Forget ${name}?`,
    consequences: [
      'No backup goes there any more, and its credentials are deleted here.',
      'Nothing that lies there is touched: backups stay where they are.',
    ],
    verb: 'Forget it',
    danger: true,
  }),
}
