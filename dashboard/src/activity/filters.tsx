import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { type AuditEntry, type AuditFilter, membersQuery } from '../api/platform.ts'
import { Button } from '../ui/button.tsx'
import { DayField } from '../ui/day-field.tsx'
import { Pick } from '../ui/pick.tsx'
import { ACTION_CHOICES } from './words.ts'

type Choice = { value: string; label: string }
type Props = { filter: AuditFilter; rows: AuditEntry[]; nameOf(id: string): string | undefined }

const route = getRouteApi('/in/activity')
const SYSTEM = { value: 'system', label: 'The instance itself' }

/** What was done, by whom and when is picked here; to what is picked at a row. All of it is in the address. */
export function Filters({ filter, rows, nameOf }: Props) {
  const navigate = route.useNavigate()
  const { data: members = [] } = useQuery(membersQuery)
  const { action, target, actor, since, until } = filter
  const narrow = (change: AuditFilter) => void navigate({ search: { ...filter, ...change }, replace: true })
  const people = [...members.map(({ userId, name }) => ({ value: userId, label: name })), SYSTEM]
  // Who has left is still in the log, by the name they had.
  const nameThen = rows.find((one) => one.actor.id === actor)?.actor.name
  return (
    <fieldset className="flex flex-wrap items-center gap-2 pb-3">
      <legend className="sr-only">Filters</legend>
      <Pick
        label="Action"
        value={action ?? ''}
        choices={withChosen(ACTION_CHOICES, action)}
        onPick={(picked) => narrow({ action: picked || undefined })}
      />
      <Pick
        label="Person"
        value={actor ?? ''}
        choices={withChosen(people, actor, nameThen)}
        onPick={(picked) => narrow({ actor: picked || undefined })}
      />
      <DayField label="From" value={since ?? ''} onPick={(day) => narrow({ since: day || undefined })} />
      <DayField label="To" value={until ?? ''} onPick={(day) => narrow({ until: day || undefined })} />
      {target && (
        <Button onClick={() => narrow({ target: undefined })}>
          <span className="max-w-52 truncate">Only {nameOf(target) ?? target}</span>
          <X size={14} aria-label="Take this filter away" />
        </Button>
      )}
      {Object.values(filter).some(Boolean) && (
        <Button look="quiet" onClick={() => void navigate({ search: {}, replace: true })}>
          <X size={14} aria-hidden /> Clear
        </Button>
      )}
    </fieldset>
  )
}

/** An address may name one that is not among the choices. */
const withChosen = (choices: Choice[], chosen: string | undefined, label = chosen): Choice[] =>
  chosen === undefined || choices.some(({ value }) => value === chosen)
    ? choices
    : [...choices, { value: chosen, label: label ?? chosen }]
