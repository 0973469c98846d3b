import type { MigrationService } from '@slipway/contract/migration-shape'
import { CircleAlert, X } from 'lucide-react'
import { Tick } from '../ui/forms/tick.tsx'
import { Card } from '../ui/page.tsx'
import { Badge } from '../ui/tag.tsx'
import type { Group } from './found-groups.ts'

type Toggle = (keys: string[], isOn: boolean) => void
type Props = { group: Group; chosen: ReadonlySet<string>; onToggle: Toggle }

/** A stack with its services, each with whether it can be adopted, and why not. */
export function ScanGroup({ group: { name, isStack, origin, fileNote, services }, chosen, onToggle }: Props) {
  if (!isStack)
    return (
      <Card>
        <ul>
          {services.map((service) => (
            <ServiceRow
              key={service.key}
              service={service}
              origin={origin}
              isChosen={chosen.has(service.key)}
              onToggle={onToggle}
            />
          ))}
        </ul>
      </Card>
    )
  const able = services.filter(({ adoptable }) => adoptable).map(({ key }) => key)
  return (
    <Card>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3">
        <div className="min-w-0 flex-1 basis-52">
          {able.length > 0 ? (
            <Tick
              checked={able.every((key) => chosen.has(key))}
              onChange={({ currentTarget }) => onToggle(able, currentTarget.checked)}
            >
              <span className="font-medium break-all">{name}</span>
            </Tick>
          ) : (
            <p className="font-medium break-all">{name}</p>
          )}
          <p className={`text-xs break-words text-faint ${able.length > 0 ? 'pl-6.5' : ''}`}>{origin}</p>
        </div>
        {fileNote && <Badge>{fileNote}</Badge>}
      </div>
      <ul className="divide-y divide-line border-t border-line">
        {services.map((service) => (
          <ServiceRow key={service.key} service={service} isChosen={chosen.has(service.key)} onToggle={onToggle} />
        ))}
      </ul>
    </Card>
  )
}

type RowProps = { service: MigrationService; origin?: string; isChosen: boolean; onToggle: Toggle }

function ServiceRow({ service, origin, isChosen, onToggle }: RowProps) {
  const { key, name, image, status, adoptable, reasons, warnings, volumes, names } = service
  const reused = volumes.flatMap(({ name: volume, source, existing }) => (existing ? [volume ?? source ?? ''] : []))
  return (
    <li className="px-4 py-2.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
        {adoptable ? (
          <Tick checked={isChosen} onChange={({ currentTarget }) => onToggle([key], currentTarget.checked)}>
            <span className="break-all">{name}</span>
          </Tick>
        ) : (
          <span className="inline-flex items-center gap-2">
            <X size={14} className="shrink-0 text-bad" aria-hidden />
            <span className="break-all">{name}</span>
          </span>
        )}
        <span className="min-w-0 flex-1 basis-40 font-mono text-2xs break-all text-faint">{image}</span>
        {origin && <span className="text-xs text-faint">{origin}</span>}
        <span className="text-xs text-soft">{adoptable ? `adoptable · ${status}` : 'not adoptable'}</span>
      </div>
      <ul className="mt-1 space-y-0.5 pl-6.5 text-xs">
        {reasons.map(({ message }) => (
          <li key={message} className="text-bad text-pretty">
            No: {message}
          </li>
        ))}
        {warnings.map(({ message }) => (
          <li key={message} className="flex gap-1.5 text-ask text-pretty">
            <CircleAlert size={13} className="mt-0.5 shrink-0" aria-hidden />
            <span className="min-w-0">{message}</span>
          </li>
        ))}
        {adoptable && reused.length > 0 && <li className="break-all text-soft">Volumes reused: {reused.join(', ')}</li>}
        {names.length > 0 && (
          <li className="break-all text-soft">
            Led here by {names[0]?.by}: {names.map(({ host }) => host).join(', ')}
          </li>
        )}
      </ul>
    </li>
  )
}
