import type { Deployment } from '@slipway/contract/deployment-shape'
import { Link } from '@tanstack/react-router'
import { Anchor, FileCode2, FolderUp, GitBranch, type LucideIcon, Package, Pin } from 'lucide-react'
import { Age, Elapsed } from '../ui/time.tsx'
import { StatusPill } from './status-pill.tsx'
import { headline, triggered } from './words.ts'

type Source = Deployment['source']
const KINDS: Record<Source['kind'], LucideIcon> = {
  git: GitBranch,
  compose: FileCode2,
  upload: FolderUp,
  image: Package,
  adopted: Anchor,
}

/** The whole row is a link: it opens in a tab of its own like any other. */
export function DeploymentRow({ deployment, project }: { deployment: Deployment; project: string }) {
  const { id, number, source, timing, createdBy, trigger, pinned, asOf, waitingOn } = deployment
  return (
    <li>
      <Link
        to="/deployments/$id"
        params={{ id }}
        data-row
        className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 px-4 py-3 outline-offset-[-2px] hover:bg-hover/60 md:grid-cols-[9.5rem_minmax(0,1fr)_11rem_5rem_6rem]"
      >
        <span className="max-md:order-2 max-md:justify-self-end">
          <StatusPill of={deployment} />
        </span>
        <span className="min-w-0 max-md:order-1">
          <span className="flex items-center gap-2">
            <span className="truncate font-medium">{headline(deployment)}</span>
            {pinned && <Pin size={12} className="shrink-0 text-faint" aria-label="Pinned" />}
          </span>
          {/* Of a long name the end is cut, and never the number behind it. */}
          <span className="flex gap-1 text-xs text-faint">
            <span className="min-w-8 truncate text-soft">{project}</span>
            <span className="num shrink-0">#{number}</span>
            <span className="min-w-24 truncate">
              · {triggered(trigger)} {createdBy.name}
            </span>
          </span>
        </span>
        <SourceNote source={source} />
        <span className="text-right text-xs text-soft max-md:hidden">
          {timing.startedAt && !waitingOn ? <Elapsed from={timing.startedAt} to={timing.finishedAt} /> : '–'}
        </span>
        <span className="text-right text-xs text-faint max-md:order-4">
          {asOf ? <>as of {new Date(asOf).toLocaleTimeString()}</> : <Age at={timing.createdAt} />}
        </span>
      </Link>
    </li>
  )
}

function SourceNote({ source }: { source: Source }) {
  const Kind = KINDS[source.kind]
  return (
    <span className="flex min-w-0 items-center gap-1.5 text-xs text-soft max-md:order-3">
      <Kind size={13} className="shrink-0 text-faint" aria-hidden />
      <span className="truncate font-mono">{source.branch ?? source.image ?? WITHOUT[source.kind]}</span>
      {source.commitSha && <span className="shrink-0 font-mono text-faint">{source.commitSha.slice(0, 7)}</span>}
    </span>
  )
}

const WITHOUT: Record<Source['kind'], string> = {
  git: 'git',
  compose: 'compose',
  upload: 'folder',
  image: 'image',
  adopted: 'adopted',
}
