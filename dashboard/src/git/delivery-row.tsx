import type { GithostDelivery } from '@slipway/contract/githost-deliveries'
import { Link } from '@tanstack/react-router'
import { RotateCw } from 'lucide-react'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { useMay } from '../api/use-may.ts'
import { useWrite } from '../api/use-write.ts'
import { announce } from '../ui/announce.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { GatedButton } from '../ui/gated-button.tsx'
import { Tag } from '../ui/tag.tsx'
import { Age } from '../ui/time.tsx'
import { DECISIONS, VIA_WORDS } from './words.ts'

type Props = { delivery: GithostDelivery; project: string | undefined }

export function DeliveryRow({ delivery, project }: Props) {
  const { repository, ref, after, pusher, via, event, decision, reason, deploymentId, receivedAt } = delivery
  const { word, tone } = DECISIONS[decision]
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-2 px-4 py-3">
      <span className="sm:w-44">
        <Tag tone={tone}>{word}</Tag>
      </span>
      <div className="min-w-0 flex-1 basis-56">
        <p className="break-words">
          <span className="font-medium">{repository ?? event}</span>{' '}
          {ref && <span className="font-mono text-xs text-soft">{ref.replace(/^refs\/(heads|tags)\//, '')}</span>}{' '}
          {after && <span className="font-mono text-xs text-faint">{after.slice(0, 7)}</span>}
        </p>
        {reason && <p className="text-soft text-pretty">{reason}</p>}
        <p className="text-xs text-faint">
          {VIA_WORDS[via]}
          {pusher && <> · pushed by {pusher}</>}
          {project && <> · {project}</>} · <Age at={receivedAt} />
        </p>
      </div>
      <div className="flex items-center gap-3">
        {deploymentId && (
          <Link
            to="/deployments/$id"
            params={{ id: deploymentId }}
            className="inline-flex items-center font-medium text-brand underline underline-offset-4 pointer-coarse:min-h-11"
          >
            Deployment
          </Link>
        )}
        <Replay delivery={delivery} />
      </div>
    </li>
  )
}

/** Deploys what the branch has now, which visitors notice: so it is asked first. */
function Replay({ delivery: { id, repository, ref } }: { delivery: GithostDelivery }) {
  const may = useMay()
  const [isAsking, setAsking] = useState(false)
  const replay = useWrite({
    send: (_, headers) => api.githostDeliveries.replay({ params: { id }, headers }),
    refresh: [['githost', 'deliveries'], ['deployments']],
    onDone: ({ decision, reason }) => {
      setAsking(false)
      announce(reason ? `${DECISIONS[decision].word}: ${reason}` : DECISIONS[decision].word)
    },
  })
  const ask = () => {
    replay.begin()
    setAsking(true)
  }
  const branch = ref?.replace(/^refs\/heads\//, '') ?? 'the branch'
  return (
    <>
      <GatedButton
        size="sm"
        reason={may('githost:write') ?? may('deployment:write')}
        aria-label={`Replay ${repository ?? 'this'} ${branch}`}
        onClick={ask}
      >
        <RotateCw size={13} aria-hidden /> Replay
      </GatedButton>
      <Confirm
        open={isAsking}
        title="Decide anew?"
        consequences={[
          `It is decided from where ${branch} is now, not from where it was then.`,
          'If the project deploys it, a deployment begins.',
          'This delivery stays as it is; the new decision is a line of its own.',
        ]}
        verb="Decide anew"
        busy={replay.isPending}
        error={replay.error}
        onConfirm={() => replay.mutate()}
        onClose={() => setAsking(false)}
      />
    </>
  )
}
