import { Menu as Base } from '@base-ui/react/menu'
import type { ReactElement, ReactNode } from 'react'

export type MenuItem = {
  label: string
  icon?: ReactNode
  note?: ReactNode
  /** Why it cannot be done now; shown below the label, so that nobody has to guess. */
  reason?: string | null | undefined
  danger?: boolean
  onSelect(): void
}

/** `label`: of a trigger that shows only a sign; what one can read is its name by itself. */
type Props = { trigger: ReactElement; items: MenuItem[]; label?: string; align?: 'start' | 'end' }

export function Menu({ trigger, items, label, align = 'end' }: Props) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} aria-label={label} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} align={align} className="z-50 outline-none">
          <Base.Popup className="max-h-[70vh] min-w-56 max-w-80 overflow-y-auto rounded-lg border border-line bg-surface p-1 shadow-pop outline-none data-open:animate-[rise_120ms_ease-out]">
            {items.map((item) => (
              <Item key={item.label} item={item} />
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

function Item({ item: { label, icon, note, reason, danger, onSelect } }: { item: MenuItem }) {
  return (
    <Base.Item
      disabled={Boolean(reason)}
      onClick={onSelect}
      className={`flex cursor-default gap-2 rounded-md px-2 py-1.5 outline-none data-highlighted:bg-hover data-disabled:text-faint pointer-coarse:py-3 ${danger && !reason ? 'text-bad' : ''}`}
    >
      {icon && <span className="mt-0.5 text-faint">{icon}</span>}
      <span className="min-w-0 flex-1">
        {label}
        {reason && <span className="block text-xs text-faint text-pretty">{reason}</span>}
      </span>
      {note && <span className="ml-3 shrink-0 text-xs text-faint">{note}</span>}
    </Base.Item>
  )
}
