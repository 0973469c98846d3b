import type { Limit } from '@slipway/contract/limits'
import { useQuery } from '@tanstack/react-query'
import { limitsQuery } from '../api/platform.ts'
import { bytesInWords } from '../ui/bytes-in-words.ts'
import { Bones, Card } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { Section } from '../ui/section.tsx'
import { Stale } from '../ui/stale.tsx'

const WORDS: Record<Limit['kind'], string> = {
  projects: 'Projects',
  members: 'Members',
  concurrentBuilds: 'Builds at once',
  memoryBytes: 'Memory',
  uploadBytes: 'Uploads',
  logBytesPerDay: 'Log in a day',
}
/** From here on it is worth saying what to do where it does not suffice. */
const NEARLY = 0.8

export function Limits() {
  const limits = useQuery(limitsQuery)
  return (
    <Section title="Limits of this organization" note="How much it may have, and has.">
      <Stale query={limits} />
      {limits.isPending && <Bones rows={3} />}
      {limits.isLoadingError && <Refused error={limits.error} onRetry={() => limits.refetch()} />}
      {limits.data && (
        <Card>
          <ul className="divide-y divide-line">
            {limits.data.map((limit) => (
              <LimitRow key={limit.kind} limit={limit} />
            ))}
          </ul>
        </Card>
      )}
    </Section>
  )
}

function LimitRow({ limit: { kind, used, most, unit, hint } }: { limit: Limit }) {
  const shown = (n: number) => (unit === 'bytes' ? bytesInWords(n) : String(n))
  const share = most === null ? 0 : most === 0 ? 1 : Math.min(1, used / most)
  return (
    <li className="grid items-center gap-x-4 gap-y-1.5 px-4 py-3 sm:grid-cols-[11rem_minmax(0,1fr)_12rem]">
      <span className="text-soft">{WORDS[kind]}</span>
      {most === null ? (
        <span className="text-xs text-faint max-sm:hidden">no limit</span>
      ) : (
        <span aria-hidden className="h-1.5 overflow-hidden rounded-full bg-hover">
          <span
            className={`block h-full rounded-full ${share >= 1 ? 'bg-bad-mark' : 'bg-run-mark'}`}
            style={{ width: `${share * 100}%` }}
          />
        </span>
      )}
      <span className="num sm:text-right">
        {shown(used)} <span className="text-faint">{most === null ? 'used, no limit' : `of ${shown(most)}`}</span>
      </span>
      {share >= NEARLY && <p className="text-xs text-soft text-pretty sm:col-span-3">{hint}</p>}
    </li>
  )
}
