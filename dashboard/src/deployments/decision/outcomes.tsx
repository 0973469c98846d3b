import type { PendingDecision } from '@slipway/contract/decisions'
import type { Deployment } from '@slipway/contract/deployment-shape'
import { Check, CircleX } from 'lucide-react'

type Row = PendingDecision['services'][number]
type Form = Row['runs']
type Props = { deployment: Deployment; decision: PendingDecision | undefined }

const HEADS = ['Service', 'Came up', 'Runs now', 'If you keep', 'If you put back']

/** What both ways out mean for every service. What came up is known at once; what runs is asked of the engine. */
export function Outcomes({ deployment: { id, services }, decision }: Props) {
  const rows = decision?.services ?? services.map(({ name, status, error }) => ({ name, status, error, ...UNKNOWN }))
  return (
    <table className="mt-3 w-full text-left text-xs max-sm:block">
      <thead className="text-faint max-sm:sr-only">
        <tr className="[&>th]:py-1.5 [&>th]:pr-4 [&>th]:font-medium">
          {HEADS.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="divide-y divide-line border-y border-line max-sm:block">
        {rows.map((row) => (
          <tr key={row.name} className="max-sm:block max-sm:py-2 sm:[&>*]:py-2 sm:[&>*]:pr-4">
            <th scope="row" className="font-medium break-words max-sm:block">
              {row.name}
            </th>
            <td className="max-sm:block max-sm:pb-1">
              <CameUp row={row} />
            </td>
            <Version of={row.runs} id={id} label="Runs now" />
            <Version of={row.ifKept} id={id} label="If you keep" />
            <Version of={row.ifRejected} id={id} label="If you put back" />
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Not asked yet. */
const UNKNOWN = { runs: undefined, ifKept: undefined, ifRejected: undefined }

function CameUp({ row: { status, error } }: { row: Pick<Row, 'status' | 'error'> }) {
  if (status === null) return <span className="text-soft">No part of it</span>
  const isUp = status === 'healthy'
  const Sign = isUp ? Check : CircleX
  return (
    <span className={`inline-flex gap-1.5 ${isUp ? 'text-ok' : 'text-bad'}`}>
      <Sign size={13} className="mt-0.5 shrink-0" aria-hidden />
      {isUp ? 'Healthy' : (error?.message ?? 'Did not come up')}
    </span>
  )
}

function Version({ of, id, label }: { of: Form | undefined; id: string; label: string }) {
  return (
    <td className="num max-sm:flex max-sm:justify-between max-sm:gap-3">
      <span aria-hidden className="text-faint sm:hidden">
        {label}
      </span>
      {versionInWords(of, id)}
    </td>
  )
}

function versionInWords(of: Form | undefined, id: string): string {
  if (of === undefined) return '…'
  if (of === null) return 'not there'
  const number = of.number === null ? 'a deleted one' : `#${of.number}`
  return of.deploymentId === id ? `${number} new` : `${number} as before`
}
