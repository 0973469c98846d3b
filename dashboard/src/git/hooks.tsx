import type { GithostHook } from '@slipway/contract/githost-shape'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { hooksQuery, repositoryQuery } from '../api/platform.ts'
import { useMay } from '../api/use-may.ts'
import { useWrite } from '../api/use-write.ts'
import { Confirm } from '../ui/confirm.tsx'
import { GatedButton } from '../ui/gated-button.tsx'
import { Refused } from '../ui/refused.tsx'
import { Badge } from '../ui/tag.tsx'
import { Age } from '../ui/time.tsx'

type Place = { owner: string; name: string }

export function Hooks({ owner, name }: Place) {
  const hooks = useQuery(hooksQuery(owner, name))
  const add = useWrite({
    send: (_, headers) => api.githost.addHook({ params: { owner, repo: name }, headers }),
    refresh: [hooksQuery(owner, name).queryKey, repositoryQuery(owner, name).queryKey],
  })
  const { data } = hooks
  const isHeard = data?.app?.covers === true || data?.data.some(({ ours }) => ours) === true
  return (
    <div>
      <h3 className="font-medium">Webhooks</h3>
      {hooks.isPending && <p className="mt-1 text-soft">Asking the git host…</p>}
      <Refused error={hooks.error} className="mt-2" onRetry={() => hooks.refetch()} />
      {data?.app?.covers && (
        <p className="mt-1 text-soft">
          The app covers it, so it needs no hook of its own.{' '}
          {data.app.lastDeliveryAt && (
            <>
              The app last told something <Age at={data.app.lastDeliveryAt} />.
            </>
          )}
        </p>
      )}
      {data && data.data.length > 0 && (
        <ul className="mt-2 divide-y divide-line rounded-lg border border-line bg-surface">
          {data.data.map((hook) => (
            <HookRow key={hook.hookId} hook={hook} owner={owner} name={name} />
          ))}
        </ul>
      )}
      {data && !isHeard && <AddHook add={add} hasOthers={data.data.length > 0} />}
    </div>
  )
}

type AddProps = { add: { isPending: boolean; error: unknown; mutate(): void }; hasOthers: boolean }

function AddHook({ add, hasOthers }: AddProps) {
  return (
    <div className="mt-2 space-y-2">
      <p className="text-soft">{hasOthers ? 'None of them is ours.' : 'It has none.'}</p>
      <GatedButton size="sm" reason={useMay()('githost:write')} busy={add.isPending} onClick={() => add.mutate()}>
        Have pushes told here
      </GatedButton>
      <Refused error={add.error} />
    </div>
  )
}

function HookRow({ hook, owner, name }: Place & { hook: GithostHook }) {
  const { hookId, url, active, events, ours, lastResponse } = hook
  const last = lastResponse && [lastResponse.code, lastResponse.status].filter((one) => one !== null).join(' ')
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 p-3">
      <div className="min-w-0 flex-1 basis-52">
        <p className="flex flex-wrap items-center gap-2">
          <span className="font-mono text-xs break-all">{url}</span>
          {ours && <Badge>ours</Badge>}
          {!active && <Badge>switched off</Badge>}
        </p>
        <p className="mt-0.5 text-xs text-faint">
          {events.join(', ')} · last answer: {last || 'none yet'}
        </p>
      </div>
      {ours && <RemoveHook hookId={hookId} owner={owner} name={name} />}
    </li>
  )
}

function RemoveHook({ hookId, owner, name }: Place & { hookId: number }) {
  const [isAsking, setAsking] = useState(false)
  const remove = useWrite({
    send: (_, headers) => api.githost.removeHook({ params: { owner, repo: name }, body: { hookId }, headers }),
    refresh: [hooksQuery(owner, name).queryKey, repositoryQuery(owner, name).queryKey],
    onDone: () => setAsking(false),
  })
  const ask = () => {
    remove.begin()
    setAsking(true)
  }
  return (
    <>
      <GatedButton size="sm" reason={useMay()('githost:admin')} onClick={ask}>
        Remove
      </GatedButton>
      <Confirm
        open={isAsking}
        title={`Remove the hook of ${owner}/${name}?`}
        consequences={[
          'The git host no longer tells of pushes to it. Where a project deploys it, it is asked from time to time.',
          'The repository and what runs stay as they are.',
        ]}
        verb="Remove the hook"
        danger
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate()}
        onClose={() => setAsking(false)}
      />
    </>
  )
}
