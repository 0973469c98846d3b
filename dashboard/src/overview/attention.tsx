import type { Attention as Item } from '@slipway/contract/overview'
import { Link } from '@tanstack/react-router'
import { ArrowRight, CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { Pill } from '../deployments/status-pill.tsx'
import type { Shown } from '../deployments/words.ts'
import { Age } from '../ui/time.tsx'

/** What waits for a person comes first, then what went wrong. */
const ORDER: Item['kind'][] = ['waits', 'failed', 'unknown', 'server']

export function Attention({ items }: { items: Item[] }) {
  if (items.length === 0)
    return (
      <p className="flex items-center gap-2 rounded-xl border border-line bg-surface p-4 text-soft shadow-card">
        <CircleCheck size={16} className="shrink-0 text-ok" aria-hidden /> Nothing needs you. Every project runs what it
        should.
      </p>
    )
  const sorted = items.toSorted((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind))
  return (
    <section
      aria-label="Needs attention"
      className="overflow-hidden rounded-xl border border-ask-mark/50 bg-surface shadow-card"
    >
      <h2 className="border-b border-line bg-ask-tint px-4 py-2 text-xs font-semibold text-ask">Needs attention</h2>
      <ul className="divide-y divide-line">
        {sorted.map((item) => (
          <Row key={`${item.kind} ${item.deployment?.id ?? item.server?.id ?? item.message}`} item={item} />
        ))}
      </ul>
    </section>
  )
}

function Row({ item }: { item: Item }) {
  const { message, since, project, deployment, server } = item
  const body = (
    <>
      <Pill {...pillOf(item)} />
      <span className="min-w-0 flex-1 basis-60 break-words">
        <span className="font-medium">{project?.name ?? server?.name}</span>{' '}
        {deployment && <span className="text-faint num">#{deployment.number} </span>}
        <span className="text-soft">{message}</span>
      </span>
      <span className="text-xs text-faint">
        <Age at={since} />
      </span>
      {(deployment || server) && <ArrowRight size={14} className="text-faint max-sm:hidden" aria-hidden />}
    </>
  )
  if (deployment)
    return (
      <li>
        <ToDeployment id={deployment.id}>{body}</ToDeployment>
      </li>
    )
  return <li>{server ? <ToServer id={server.id}>{body}</ToServer> : <p className={ROW}>{body}</p>}</li>
}

const ROW = 'flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3'

const LINK = `${ROW} outline-offset-[-2px] hover:bg-hover/60`

const ToServer = ({ id, children }: { id: string; children: ReactNode }) => (
  <Link to="/servers/$id" params={{ id }} data-row className={LINK}>
    {children}
  </Link>
)

const ToDeployment = ({ id, children }: { id: string; children: ReactNode }) => (
  <Link to="/deployments/$id" params={{ id }} data-row className={LINK}>
    {children}
  </Link>
)

function pillOf({ kind, deployment }: Item): Shown {
  if (kind === 'failed') return { word: 'Failed', tone: 'bad', sign: 'cross' }
  if (kind === 'unknown') return { word: 'Not known', tone: 'ask', sign: 'ask' }
  if (kind === 'server') return { word: 'Server', tone: 'bad', sign: 'cross' }
  const isDecision = deployment?.status === 'partial_failure'
  return { word: isDecision ? 'Action required' : 'Needs approval', tone: 'ask', sign: 'ask' }
}
