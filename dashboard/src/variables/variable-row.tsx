import type { PendingVariable } from '@slipway/contract/pending'
import { MoreHorizontal, Pencil, Trash2 } from 'lucide-react'
import { useMay } from '../api/use-may.ts'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Menu } from '../ui/menu.tsx'
import { Badge } from '../ui/tag.tsx'
import { Age } from '../ui/time.tsx'
import { scopeInWords, type Variable } from './variable.ts'

type Props = {
  variable: Variable
  /** Whether what serves was made without it, as it is now. */
  pending: PendingVariable['change'] | undefined
  /** The number of the release that serves. */
  serves: number | undefined
  /** undefined: not shown now. */
  value: string | undefined
  onChange(): void
  onRemove(): void
}

export function VariableRow({ variable, pending, serves, value, onChange, onRemove }: Props) {
  const { name, service, scope, updatedAt } = variable
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 px-4 py-2.5 md:grid-cols-[minmax(0,1.2fr)_minmax(0,1.4fr)_9rem_6rem_auto]">
      <span className="min-w-0">
        <span className="font-mono text-xs font-medium break-all">{name}</span>
        {pending && (
          <span className="ml-2 inline-block align-middle">
            <Badge>{`${pending} since #${serves}`}</Badge>
          </span>
        )}
      </span>
      <Value name={name} value={value} />
      <span className="text-xs text-soft max-md:order-4">
        {service ?? 'every service'}
        <span className="block text-faint">{scopeInWords(scope)}</span>
      </span>
      <span className="text-right text-xs text-faint max-md:order-5">
        <Age at={updatedAt} />
      </span>
      <RowMenu name={name} onChange={onChange} onRemove={onRemove} />
    </li>
  )
}

function Value({ name, value }: { name: string; value: string | undefined }) {
  if (value === undefined)
    return (
      <span className="text-xs text-faint max-md:hidden">
        <span aria-hidden>••••••••</span>
        <span className="sr-only">Not shown</span>
      </span>
    )
  return (
    <span className="flex min-w-0 items-center gap-1 max-md:order-3 max-md:col-span-2">
      <span className="thin-scroll max-h-24 min-w-0 overflow-y-auto font-mono text-xs break-all whitespace-pre-wrap">
        {value === '' ? <span className="font-sans text-faint">empty</span> : value}
      </span>
      <CopyButton text={value} label={`Copy the value of ${name}`} />
    </span>
  )
}

function RowMenu({ name, onChange, onRemove }: { name: string; onChange(): void; onRemove(): void }) {
  const reason = useMay()('project:write')
  return (
    <span className="justify-self-end max-md:col-start-2 max-md:row-start-1">
      <Menu
        label={`More about ${name}`}
        items={[
          { label: 'Change', icon: <Pencil size={14} />, reason, onSelect: onChange },
          { label: 'Remove', icon: <Trash2 size={14} />, danger: true, reason, onSelect: onRemove },
        ]}
        trigger={
          <Button size="icon" look="quiet">
            <MoreHorizontal size={16} aria-hidden />
          </Button>
        }
      />
    </span>
  )
}
