import type { Project } from '@slipway/contract/projects'
import type { DnsChange, Promotion } from '@slipway/contract/promotion'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { promotionQuery } from '../api/projects.ts'
import { instanceQuery } from '../api/queries.ts'
import { useMay } from '../api/use-may.ts'
import { useWrite } from '../api/use-write.ts'
import { Confirm } from '../ui/confirm.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { GatedButton } from '../ui/gated-button.tsx'
import { Card } from '../ui/page.tsx'
import { Caution, Tag } from '../ui/tag.tsx'
import { Age } from '../ui/time.tsx'
import type { Tone } from '../ui/title.ts'

const STATES: Record<Promotion['state'], { word: string; tone: Tone }> = {
  running: { word: 'On its way', tone: 'run' },
  promoted: { word: 'In the cloud', tone: 'ok' },
  failed: { word: 'Failed', tone: 'bad' },
  cancelled: { word: 'Cancelled', tone: 'idle' },
}

/** Its way to the hosted cloud, where it has gone or goes there; elsewhere there is nothing to say. */
export function PromotionCard({ project }: { project: Project }) {
  const [hint, setHint] = useState<string | null>(null)
  const { data: instance } = useQuery(instanceQuery)
  const isHere = instance?.mode === 'self_hosted'
  const { data: promotion } = useQuery({ ...promotionQuery(project.id), enabled: isHere })
  return (
    <>
      {hint && (
        <div className="mb-4">
          <Caution>{hint}</Caution>
        </div>
      )}
      {isHere && promotion && isNews(promotion, project) && (
        <section aria-label="The hosted cloud" className="mb-4">
          <Card className="p-4">
            <Standing project={project} promotion={promotion} onHint={setHint} />
            {promotion.error && <p className="mt-2 text-bad text-pretty">{promotion.error.message}</p>}
            {promotion.error?.hint && <p className="mt-1 text-soft text-pretty">{promotion.error.hint}</p>}
            {promotion.dns.length > 0 && <Changes dns={promotion.dns} />}
          </Card>
        </section>
      )}
    </>
  )
}

/** One that was given back is of the past, and so is one that failed once something newer was deployed here. */
function isNews({ state, deploymentId }: Promotion, { target, latest }: Project): boolean {
  if (state === 'running' || target === 'cloud') return true
  return state === 'failed' && (!latest || deploymentId >= latest.id)
}

type StandingProps = { project: Project; promotion: Promotion; onHint(hint: string | null): void }

function Standing({ project, promotion, onHint }: StandingProps) {
  const { word, tone } = STATES[promotion.state]
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <h2 className="text-sm font-semibold">The hosted cloud</h2>
      <Tag tone={tone}>{word}</Tag>
      <p className="min-w-0 flex-1 text-xs text-soft">
        {promotion.state === 'running' && promotion.step && `at ${promotion.step}, `}
        begun <Age at={promotion.startedAt} />,{' '}
        <Link
          to="/deployments/$id"
          params={{ id: promotion.deploymentId }}
          className="font-medium text-brand hover:underline"
        >
          its deployment
        </Link>
      </p>
      <End project={project} promotion={promotion} onHint={onHint} />
    </div>
  )
}

/** What is on its way is cancelled; what is there is given back. */
function End({ project, promotion, onHint }: StandingProps) {
  const [asking, setAsking] = useState(false)
  const may = useMay()
  const isRunning = promotion.state === 'running'
  const end = useWrite({
    send: async (_: null, headers) => {
      if (isRunning) await api.deployments.cancel({ params: { id: promotion.deploymentId }, headers })
      else return (await api.promotion.giveBack({ params: { id: project.id } })).hint
    },
    refresh: [['project', project.id], ['deployments'], ['projects']],
    onDone: (hint) => {
      setAsking(false)
      onHint(hint ?? null)
    },
  })
  const verb = isRunning ? 'Cancel it' : 'Give it back'
  return (
    <>
      <GatedButton
        size="sm"
        reason={may(isRunning ? 'deployment:write' : 'project:admin')}
        onClick={() => {
          end.begin()
          setAsking(true)
        }}
      >
        {verb}
      </GatedButton>
      <Confirm
        open={asking}
        title={isRunning ? 'Cancel the way to the cloud?' : 'Give back what the cloud has of it?'}
        consequences={
          isRunning
            ? ['It stops, and what the cloud has of it is taken back.', 'What serves here is not touched.']
            : [
                'The project is deleted in the cloud, unless something of it runs there.',
                'It is deployed here from then on.',
                'Records of its names that lead to the cloud stay as they are: change them yourself.',
              ]
        }
        verb={verb}
        danger
        busy={end.isPending}
        error={end.error}
        onConfirm={() => end.mutate(null)}
        onClose={() => setAsking(false)}
      />
    </>
  )
}

/** Records that somebody has to change where the names are kept. */
function Changes({ dns }: { dns: DnsChange[] }) {
  return (
    <ul className="mt-3 divide-y divide-line border-t border-line text-xs">
      {dns.map(({ host, type, now, wanted }) => (
        <li key={`${host} ${type}`} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
          <span className="font-medium break-all">
            {type} {host}
          </span>
          <span className="text-soft">now {now.join(', ') || 'nothing'}</span>
          <span className="min-w-0 flex-1 font-mono break-all">{wanted.join(', ') || 'remove it'}</span>
          {wanted.length > 0 && <CopyButton text={wanted.join(', ')} label={`Copy what ${type} ${host} has to be`} />}
        </li>
      ))}
    </ul>
  )
}
