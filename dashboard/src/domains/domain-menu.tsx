import type { Domain } from '@slipway/contract/domains'
import { MoreHorizontal, RotateCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { ALL_DOMAINS, domainsQuery } from '../api/domains.ts'
import { useMay } from '../api/use-may.ts'
import { useWrite } from '../api/use-write.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Menu } from '../ui/menu.tsx'
import { RenewDialog } from './renew-dialog.tsx'

type Props = { projectId: string; domain: Domain }

export function DomainMenu({ projectId, domain }: Props) {
  const [over, setOver] = useState<'remove' | 'renew' | null>(null)
  const may = useMay()
  const close = () => setOver(null)
  const items = [
    {
      label: 'Get a new certificate',
      icon: <RotateCw size={14} />,
      reason: may('deployment:write') ?? (domain.certificate ? null : 'This instance gets no certificates.'),
      onSelect: () => setOver('renew'),
    },
    {
      label: 'Remove',
      icon: <Trash2 size={14} />,
      danger: true,
      reason: may('project:write'),
      onSelect: () => setOver('remove'),
    },
  ]
  return (
    <>
      <Menu
        label={`More about ${domain.host}`}
        items={items}
        trigger={
          <Button size="icon" look="quiet">
            <MoreHorizontal size={16} aria-hidden />
          </Button>
        }
      />
      {over === 'remove' && <RemoveDialog projectId={projectId} domain={domain} onClose={close} />}
      {over === 'renew' && <RenewDialog projectId={projectId} domain={domain} onClose={close} />}
    </>
  )
}

function RemoveDialog({ projectId, domain: { host, targetPath }, onClose }: Props & { onClose(): void }) {
  const place = `${host}${targetPath ?? ''}`
  const remove = useWrite({
    send: () =>
      api.domains.remove({ params: { id: projectId, host }, query: targetPath === null ? {} : { targetPath } }),
    refresh: [domainsQuery(projectId).queryKey, ALL_DOMAINS, ['project', projectId]],
    onDone: onClose,
  })
  return (
    <Confirm
      open
      title={`Remove ${place}?`}
      consequences={[
        `${place} leads nowhere within moments: visitors of it get nothing.`,
        ...(targetPath === null
          ? ['Anyone may take the name then, as long as its records lead here. Change the records as well.']
          : [`What else ${host} leads to stays.`]),
        'The project and its other names stay as they are.',
      ]}
      verb="Remove"
      danger
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    />
  )
}
