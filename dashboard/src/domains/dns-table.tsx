import type { DomainCheck } from '@slipway/contract/domains'
import { CopyButton } from '../ui/copy-button.tsx'
import { dnsRows, NOTHING } from './domain-words.ts'

type Props = { host: string; leads: Pick<DomainCheck, 'found' | 'wanted' | 'txt'> }

/** What was found beside what is wanted, to be carried over to wherever the records are kept. */
export function DnsTable({ host, leads }: Props) {
  const rows = dnsRows(host, leads)
  if (rows.length === 0) return null
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-sunken">
      <table className="w-full text-left text-xs">
        <thead className="border-b border-line text-faint max-sm:sr-only">
          <tr className="[&>th]:px-3 [&>th]:py-1.5 [&>th]:font-medium">
            <th scope="col">Type</th>
            <th scope="col">Name</th>
            <th scope="col">Found</th>
            <th scope="col">Wanted</th>
            <th scope="col">
              <span className="sr-only">Copy</span>
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.map(({ type, name, found, wanted }) => (
            <tr
              key={`${type} ${wanted} ${name}`}
              className="max-sm:grid max-sm:grid-cols-[2.75rem_minmax(0,1fr)_auto] max-sm:gap-x-2 max-sm:p-3 sm:[&>*]:px-3 sm:[&>*]:py-1.5"
            >
              <th scope="row" className="font-medium max-sm:row-span-3">
                {type}
              </th>
              <td className="font-mono break-all">{name}</td>
              <td className="font-mono break-all text-ask max-sm:col-start-2 max-sm:row-start-2">
                <span className="font-sans text-faint sm:hidden">found </span>
                {found}
              </td>
              <td className="font-mono break-all max-sm:col-start-2 max-sm:row-start-3">
                <span className="font-sans text-faint sm:hidden">wanted </span>
                {wanted === NOTHING ? 'none' : wanted}
              </td>
              <td className="text-right max-sm:col-start-3 max-sm:row-span-3 max-sm:row-start-1">
                {wanted !== NOTHING && <CopyButton text={wanted} label={`Copy the ${type} record of ${name}`} />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
