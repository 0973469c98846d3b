import type { Deployment } from '@slipway/contract/deployment-shape'
import { Ban, History, MoreHorizontal, Pin, PinOff, Play, RefreshCw, RotateCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Menu, type MenuItem } from '../ui/menu.tsx'
import { Refused } from '../ui/refused.tsx'
import { AskFirst } from './ask-first.tsx'
import type { Asked } from './consequences.ts'
import { type Act, useAct } from './use-act.ts'

/** The one action that fits the state, and the others with their reasons. */
export function Actions({ deployment }: { deployment: Deployment }) {
  const [asking, setAsking] = useState<Asked | null>(null)
  const act = useAct(deployment.id, () => setAsking(null))
  const ask = (what: Asked) => {
    act.begin()
    setAsking(what)
  }
  const go = (what: Act) => {
    act.begin()
    act.mutate(what)
  }
  return (
    <div className="flex flex-wrap items-center justify-end gap-2 max-sm:ml-auto">
      <MainAction deployment={deployment} busy={act.isPending} ask={ask} go={go} />
      <Menu
        label="More actions"
        items={itemsOf(deployment, ask, go)}
        trigger={
          <Button size="icon">
            <MoreHorizontal size={16} aria-hidden />
          </Button>
        }
      />
      {asking === null && <Refused error={act.error} className="basis-full" />}
      <AskFirst
        deployment={deployment}
        asking={asking}
        busy={act.isPending}
        error={act.error}
        onConfirm={(what) => act.mutate(what)}
        onClose={() => setAsking(null)}
      />
    </div>
  )
}

type MainProps = { deployment: Deployment; busy: boolean; ask(what: Asked): void; go(what: Act): void }

function MainAction({ deployment: { actions }, busy, ask, go }: MainProps) {
  if (actions.cancel?.allowed)
    return (
      <Button onClick={() => ask('cancel')}>
        <Ban size={14} aria-hidden /> Cancel
      </Button>
    )
  if (actions.rollback?.allowed)
    return (
      <Button onClick={() => ask('rollback')}>
        <History size={14} aria-hidden /> Roll back to this
      </Button>
    )
  if (!actions.redeploy?.allowed) return null
  return (
    <Button busy={busy} onClick={() => go('redeploy')}>
      <RefreshCw size={14} aria-hidden /> Redeploy
    </Button>
  )
}

/** Everything that there is, also what cannot be done now: the reason stands below it. */
function itemsOf(
  { actions, source, pinned, status }: Deployment,
  ask: (what: Asked) => void,
  go: (what: Act) => void,
): MenuItem[] {
  const isGit = source.kind === 'git' || (source.kind === 'compose' && source.commitSha !== undefined)
  const rows: (MenuItem & { action: string })[] = [
    ...(status === 'queued'
      ? [{ action: 'build', label: 'Start now', icon: <Play size={14} />, onSelect: () => go('build') }]
      : []),
    { action: 'cancel', label: 'Cancel', icon: <Ban size={14} />, onSelect: () => ask('cancel') },
    {
      action: 'redeploy',
      label: isGit ? 'Redeploy the latest commit' : 'Redeploy',
      icon: <RefreshCw size={14} />,
      onSelect: () => go('redeploy'),
    },
    ...(isGit
      ? [
          {
            action: 'redeploy',
            label: 'Redeploy this commit',
            icon: <RefreshCw size={14} />,
            onSelect: () => go('redeploySame'),
          },
        ]
      : []),
    { action: 'rollback', label: 'Roll back to this', icon: <History size={14} />, onSelect: () => ask('rollback') },
    {
      action: 'restart',
      label: 'Restart the containers',
      icon: <RotateCw size={14} />,
      onSelect: () => ask('restart'),
    },
    pinned
      ? { action: 'pin', label: 'Unpin', icon: <PinOff size={14} />, onSelect: () => ask('unpin') }
      : { action: 'pin', label: 'Pin: keep its images', icon: <Pin size={14} />, onSelect: () => go('pin') },
    { action: 'remove', label: 'Delete', icon: <Trash2 size={14} />, danger: true, onSelect: () => ask('remove') },
  ]
  return rows.flatMap(({ action, ...item }) => {
    const verdict = actions[action]
    if (!verdict) return []
    return [{ ...item, reason: verdict.allowed ? null : (verdict.reason ?? 'This cannot be done now.') }]
  })
}
