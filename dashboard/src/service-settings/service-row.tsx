import type { ServiceConfig } from '@slipway/contract/services'
import { MoreHorizontal, Trash2 } from 'lucide-react'
import { useMay } from '../api/use-may.ts'
import { Button } from '../ui/button.tsx'
import { GatedButton } from '../ui/gated-button.tsx'
import { Menu } from '../ui/menu.tsx'

type Service = { name: string; config: ServiceConfig; environment: string[] }
type Props = { service: Service; onChange(): void; onRemove(): void }

export function ServiceRow({ service: { name, config, environment }, onChange, onRemove }: Props) {
  const may = useMay()
  const said = [
    ...saidOf(config),
    ...(environment.length > 0
      ? [environment.length === 1 ? '1 variable of its own' : `${environment.length} variables of its own`]
      : []),
  ]
  return (
    <li className="flex items-start gap-2 px-4 py-3">
      <div className="min-w-0 flex-1">
        <p className="font-medium break-words">{name}</p>
        <p className="mt-0.5 text-xs break-words text-soft">
          {said.join(' · ') || 'Nothing is set: as the source says.'}
        </p>
      </div>
      <GatedButton size="sm" aria-label={`Change ${name}`} reason={may('project:write')} onClick={onChange}>
        Change
      </GatedButton>
      <Menu
        label={`More about ${name}`}
        items={[
          {
            label: 'Remove',
            icon: <Trash2 size={14} />,
            danger: true,
            reason: may('project:admin'),
            onSelect: onRemove,
          },
        ]}
        trigger={
          <Button size="icon" look="quiet">
            <MoreHorizontal size={16} aria-hidden />
          </Button>
        }
      />
    </li>
  )
}

/** What was set, in the order in which people ask for it. */
function saidOf(config: ServiceConfig): string[] {
  const { image, build, replicas, memoryMb, cpus, port, healthcheck, exposed, dependsOn, volumes, ports } = config
  const context = typeof build === 'string' ? build : build?.context
  return [
    image && `image ${image}`,
    context && `built from ${context}`,
    replicas !== undefined && (replicas === 1 ? '1 replica' : `${replicas} replicas`),
    memoryMb !== undefined && `${memoryMb} MB`,
    cpus !== undefined && (cpus === 1 ? '1 processor' : `${cpus} processors`),
    port !== undefined && `port ${port}`,
    healthcheck?.path && `checked at ${healthcheck.path}`,
    healthcheck?.command && 'checked by a command',
    exposed === false && 'not public',
    dependsOn && dependsOn.length > 0 && `after ${dependsOn.join(', ')}`,
    ports && ports.length > 0 && `ports ${ports.join(', ')}`,
    volumes && volumes.length > 0 && `keeps ${volumes.join(', ')}`,
  ].filter((one) => typeof one === 'string')
}
