import type { Deployment } from '@slipway/contract/deployment-shape'
import { Link } from '@tanstack/react-router'
import { ArrowUpRight, ChevronRight, GitCommitHorizontal } from 'lucide-react'
import { HereOnlyNote } from '../domains/here-only-note.tsx'
import { Age, Elapsed } from '../ui/time.tsx'
import { Actions } from './actions.tsx'
import { HeadNotes } from './head-notes.tsx'
import { ServingNote } from './serving/serving-note.tsx'
import { StatusPill } from './status-pill.tsx'
import { headline, triggered } from './words.ts'

export function DeploymentHead({ deployment, project }: { deployment: Deployment; project: string }) {
  return (
    <header data-deployment={deployment.id} className="pb-5">
      <Crumbs deployment={deployment} project={project} />
      <div className="mt-3 flex flex-wrap items-center gap-x-3 gap-y-2.5">
        <StatusPill of={deployment} large />
        <h1
          tabIndex={-1}
          className="min-w-0 flex-1 text-lg font-semibold tracking-tight break-words text-pretty outline-none max-sm:order-3 max-sm:basis-full"
        >
          {headline(deployment)}
        </h1>
        <Actions deployment={deployment} />
        <Facts deployment={deployment} />
      </div>
      <div className="mt-3 flex min-h-4 flex-wrap items-center gap-2">
        {deployment.urls.map((url) => (
          <a
            key={url}
            href={url}
            target="_blank"
            rel="noreferrer"
            className="inline-flex h-7 max-w-full items-center gap-1 rounded-md border border-line bg-surface px-2 text-xs font-medium shadow-card hover:bg-hover pointer-coarse:h-11"
          >
            <span className="truncate">{new URL(url).host}</span>
            <ArrowUpRight size={13} className="shrink-0 text-faint" aria-hidden />
          </a>
        ))}
        <HereOnlyNote urls={deployment.urls} projectId={deployment.projectId} />
        <ServingNote deployment={deployment} />
        <HeadNotes deployment={deployment} />
      </div>
    </header>
  )
}

function Crumbs({ deployment: { projectId, number }, project }: { deployment: Deployment; project: string }) {
  return (
    <nav
      aria-label="Where you are"
      className="pointer-coarse:-my-3.5 flex min-w-0 items-center gap-1.5 text-xs text-faint"
    >
      <Link
        to="/projects/$id"
        params={{ id: projectId }}
        className="truncate font-medium text-soft hover:text-ink hover:underline pointer-coarse:leading-[2.75rem]"
      >
        {project}
      </Link>
      <ChevronRight size={12} className="shrink-0" aria-hidden />
      <Link
        to="/deployments"
        search={{ project: projectId }}
        className="hover:text-ink hover:underline pointer-coarse:leading-[2.75rem]"
      >
        Deployments
      </Link>
      <ChevronRight size={12} className="shrink-0" aria-hidden />
      <span className="num" aria-current="page">
        #{number}
      </span>
    </nav>
  )
}

/** From which commit, by whom, when, and how long it took. */
function Facts({ deployment }: { deployment: Deployment }) {
  const { source, timing, createdBy, trigger, waitingOn } = deployment
  return (
    <p className="order-4 flex min-w-0 basis-full flex-wrap items-center gap-x-2 gap-y-1 text-xs text-soft [&>*:not(:last-child)]:after:ml-2 [&>*:not(:last-child)]:after:inline-block [&>*:not(:last-child)]:after:text-line-strong [&>*:not(:last-child)]:after:content-['·']">
      {source.commitSha && <Commit deployment={deployment} />}
      <span>
        {triggered(trigger)} <b className="font-medium text-ink">{createdBy.name}</b>
      </span>
      <span>
        <Age at={timing.createdAt} />
      </span>
      {timing.startedAt && !waitingOn && (
        <span>
          {timing.finishedAt ? 'took ' : 'running for '}
          <b className="font-medium text-ink">
            <Elapsed from={timing.startedAt} to={timing.finishedAt} />
          </b>
        </span>
      )}
    </p>
  )
}

function Commit({ deployment: { source, commitUrl } }: { deployment: Deployment }) {
  const said = `${source.branch}@${source.commitSha?.slice(0, 7)}`
  return (
    <span className="font-mono">
      <GitCommitHorizontal size={14} className="mr-1 inline text-faint" aria-hidden />
      {commitUrl ? (
        <a href={commitUrl} target="_blank" rel="noreferrer" className="hover:text-ink hover:underline">
          {said}
        </a>
      ) : (
        said
      )}
    </span>
  )
}
