import { useQuery } from '@tanstack/react-query'
import { usageQuery } from '../api/projects.ts'
import { bytesInWords } from '../ui/bytes-in-words.ts'
import { Bones, Card } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { Stale } from '../ui/stale.tsx'
import { type Measured, useMinute } from './use-minute.ts'

/** What the containers of a deployment use at this moment. Nothing of it is kept but the minute that this page has seen. */
export function UsageNow({ deploymentId }: { deploymentId: string }) {
  const query = useQuery(usageQuery(deploymentId))
  const minute = useMinute(query.data, query.dataUpdatedAt)
  if (query.isPending) return <Bones rows={3} />
  if (query.isLoadingError) return <Refused error={query.error} onRetry={() => query.refetch()} />
  if (minute.length === 0) return <p className="text-soft">The engine shows no container of it at the moment.</p>
  return (
    <>
      <Stale query={query} />
      <Card className={query.isError ? 'opacity-60' : ''}>
        <ul className="divide-y divide-line">
          {minute.map((one) => (
            <Container key={one.taskId} of={one} />
          ))}
        </ul>
      </Card>
      <p className="mt-3 text-xs text-faint">
        As it is now, every 3 seconds. The bars are the last minute on this page; nothing older is kept.
      </p>
    </>
  )
}

function Container({ of }: { of: Measured }) {
  const { service, containerId, samples } = of
  const now = samples.at(-1)
  if (!now) return null
  const limit = now.memoryLimitBytes
  return (
    <li className="grid gap-x-6 gap-y-3 px-4 py-3 sm:grid-cols-[minmax(0,1fr)_13rem_13rem_9rem]">
      <div className="min-w-0">
        <p className="font-medium break-words">{service}</p>
        <p className="font-mono text-xs text-faint">{containerId.slice(0, 12)}</p>
      </div>
      <Figure
        term="Processor"
        value={`${now.cpuPercent.toFixed(now.cpuPercent < 10 ? 1 : 0)} %`}
        bars={samples.map(({ cpuPercent }) => cpuPercent)}
        most={Math.max(100, ...samples.map(({ cpuPercent }) => cpuPercent))}
      />
      <Figure
        term="Memory"
        value={limit ? `${bytesInWords(now.memoryBytes)} of ${bytesInWords(limit)}` : bytesInWords(now.memoryBytes)}
        bars={samples.map(({ memoryBytes }) => memoryBytes)}
        most={limit ?? Math.max(1, ...samples.map(({ memoryBytes }) => memoryBytes)) * 1.25}
        isTight={limit !== null && now.memoryBytes > limit * TIGHT}
      />
      <div className="text-xs">
        <p className="text-faint">Network so far</p>
        <p className="mt-0.5 num">in {bytesInWords(now.networkRxBytes)}</p>
        <p className="num">out {bytesInWords(now.networkTxBytes)}</p>
      </div>
    </li>
  )
}

/** More of its limit than this, and the next request may end it. */
const TIGHT = 0.9

type FigureProps = { term: string; value: string; bars: number[]; most: number; isTight?: boolean }

function Figure({ term, value, bars, most, isTight = false }: FigureProps) {
  return (
    <div className="text-xs">
      <p className="flex justify-between gap-2">
        <span className="text-faint">{term}</span>
        <span className={`font-medium num ${isTight ? 'text-bad' : ''}`}>{value}</span>
      </p>
      <div aria-hidden className="mt-1.5 flex h-6 items-end justify-end gap-px border-b border-line">
        {bars.map((bar, at) => (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: a place in the row, whatever it shows
            key={at}
            className={`w-2 rounded-t-xs ${isTight ? 'bg-bad-mark' : 'bg-(--series-1)'}`}
            style={{ height: `${Math.max(4, Math.min(100, (bar / most) * 100))}%` }}
          />
        ))}
      </div>
    </div>
  )
}
