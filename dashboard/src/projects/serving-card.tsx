import type { Serving } from '@slipway/contract/serving'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CloudOff } from 'lucide-react'
import { servingQuery } from '../api/projects.ts'
import { Bones, Card } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { Age } from '../ui/time.tsx'
import type { Tone } from '../ui/title.ts'
import { servingInWords } from './serving-words.ts'

const TEXTS: Record<Tone, string> = {
  ok: 'text-ok',
  run: 'text-run',
  ask: 'text-ask',
  bad: 'text-bad',
  idle: 'text-idle',
}

/** What runs of each service, as the engine says, and when it said so. */
export function ServingCard({ projectId }: { projectId: string }) {
  const query = useQuery(servingQuery(projectId))
  const serving = query.data
  const isOld = query.isError || serving?.unreachable === true
  return (
    <section aria-label="Serving">
      <Card className={isOld && serving ? 'border-ask-mark/50' : ''}>
        <div className="flex flex-wrap items-baseline gap-x-3 border-b border-line px-4 py-2.5">
          <h2 className="text-sm font-semibold">Serving</h2>
          {serving?.seenAt && (
            <p className="ml-auto text-xs text-faint">
              {serving.server && `${serving.server.name}, `}looked at <Age at={serving.seenAt} />
            </p>
          )}
        </div>
        {query.isPending && <Bones rows={2} />}
        {query.isLoadingError && <Refused error={query.error} className="m-4" onRetry={() => query.refetch()} />}
        {serving && isOld && <Old serving={serving} isSilent={query.isError} />}
        {serving && <Body serving={serving} />}
      </Card>
    </section>
  )
}

/** The table stays, with its time. */
function Old({ serving: { seenAt, reason }, isSilent }: { serving: Serving; isSilent: boolean }) {
  const at = seenAt && new Date(seenAt).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
  return (
    <p role="status" className="flex gap-2 bg-ask-tint px-4 py-2 text-ask text-pretty">
      <CloudOff size={15} className="mt-0.5 shrink-0" aria-hidden />
      <span>
        {at ? `As of ${at}. ` : 'What runs is not known. '}
        {isSilent ? 'The server does not answer.' : reason}
      </span>
    </p>
  )
}

function Body({ serving }: { serving: Serving }) {
  if (serving.target === 'cloud')
    return <p className="p-4 text-soft">It runs in the hosted cloud. What runs there is not known here.</p>
  if (serving.data.length === 0)
    return (
      <p className="p-4 text-soft">
        {serving.unreachable
          ? 'The engine has not said anything yet.'
          : 'Nothing is served yet. Deploy it to change that.'}
      </p>
    )
  return (
    <table className="w-full text-left">
      <thead className="border-b border-line text-xs text-faint">
        <tr className="[&>th]:px-4 [&>th]:py-2 [&>th]:font-medium">
          <th scope="col">Service</th>
          <th scope="col">Version</th>
          <th scope="col">State</th>
          <th scope="col" className="text-right max-sm:hidden">
            Since
          </th>
        </tr>
      </thead>
      <tbody className="divide-y divide-line">
        {serving.data.map((row) => (
          <Row key={`${row.service} ${row.deploymentId}`} row={row} active={serving.active} />
        ))}
      </tbody>
    </table>
  )
}

function Row({ row, active }: { row: Serving['data'][number]; active: Serving['active'] }) {
  const { health, tone, note } = servingInWords(row, active)
  return (
    <tr className="align-top [&>*]:px-4 [&>*]:py-2.5">
      <th scope="row" className="font-medium break-words">
        {row.service}
      </th>
      <td className="num">
        {row.deploymentId && row.number !== null ? (
          <Link to="/deployments/$id" params={{ id: row.deploymentId }} className="font-medium hover:underline">
            #{row.number}
          </Link>
        ) : (
          <span className="text-faint">{row.deploymentId ? 'a deleted one' : '–'}</span>
        )}
      </td>
      <td>
        <span className={`num ${TEXTS[tone]}`}>{health}</span>
        {note && <span className="block text-xs text-ask">{note}</span>}
      </td>
      <td className="text-right text-xs text-faint max-sm:hidden">{row.since ? <Age at={row.since} /> : '–'}</td>
    </tr>
  )
}
