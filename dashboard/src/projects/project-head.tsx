import type { Project } from '@slipway/contract/projects'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowUpRight, GitBranch, Server } from 'lucide-react'
import { lastQuery } from '../api/projects.ts'
import { activeOfQuery, serversQuery } from '../api/queries.ts'
import { StatusPill } from '../deployments/status-pill.tsx'
import { HereOnlyNote } from '../domains/here-only-note.tsx'
import { Age } from '../ui/time.tsx'
import { DeployMenu } from './deploy-menu.tsx'
import { PushNote } from './push-note.tsx'

/** What is it, does it serve, where, and what makes it change. */
export function ProjectHead({ project }: { project: Project }) {
  return (
    <header className="pb-5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2.5">
        <h1 tabIndex={-1} className="min-w-0 text-xl font-semibold tracking-tight break-words outline-none">
          {project.name}
        </h1>
        <State project={project} />
        <div className="ml-auto">
          <DeployMenu project={project} />
        </div>
      </div>
      <div className="mt-3 flex flex-wrap items-center gap-x-3 gap-y-2">
        {project.urls?.map((url) => (
          <AddressLink key={url} url={url} />
        ))}
        <HereOnlyNote urls={project.urls ?? []} projectId={project.id} />
        <Facts project={project} />
      </div>
      <PushNote project={project} />
    </header>
  )
}

/** Of what serves; else of the newest that there is. */
function State({ project }: { project: Project }) {
  const { data: active } = useQuery(activeOfQuery(project.id))
  const { data: list } = useInfiniteQuery(lastQuery(project.id))
  const told = active ?? list?.pages[0]?.data[0]
  if (active === undefined || !told) return null
  return (
    <span className="flex flex-wrap items-center gap-2 text-xs text-soft">
      <StatusPill of={told} />
      <Link to="/deployments/$id" params={{ id: told.id }} className="font-medium text-ink hover:underline num">
        #{told.number}
      </Link>
      {active && project.active?.id === active.id && project.active.since && (
        <span>
          since <Age at={project.active.since} />
        </span>
      )}
    </span>
  )
}

const AddressLink = ({ url }: { url: string }) => (
  <a
    href={url}
    target="_blank"
    rel="noreferrer"
    className="inline-flex h-7 max-w-full items-center gap-1 rounded-md border border-line bg-surface px-2 text-xs font-medium shadow-card hover:bg-hover pointer-coarse:h-11"
  >
    <span className="truncate">{new URL(url).host}</span>
    <ArrowUpRight size={13} className="shrink-0 text-faint" aria-hidden />
  </a>
)

function Facts({ project }: { project: Project }) {
  const { repository, branch, serverId, settings, autoDeployPaused, target } = project
  const { data: servers = [] } = useQuery(serversQuery)
  const { data: active } = useQuery(activeOfQuery(project.id))
  const server = active?.server?.name ?? servers.find(({ id }) => id === serverId)?.name
  const place = target === 'cloud' ? 'the hosted cloud' : server
  return (
    <p className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 text-xs text-soft">
      {repository && (
        <span className="inline-flex min-w-0 items-center gap-1">
          <GitBranch size={13} className="shrink-0 text-faint" aria-hidden />
          <span className="break-all">
            {short(repository)}
            {branch && ` · ${branch}`}
          </span>
        </span>
      )}
      {repository && !autoDeployPaused && <span>auto-deploy {settings.autoDeploy ? 'on' : 'off'}</span>}
      {place && (
        <span className="inline-flex items-center gap-1">
          <Server size={13} className="text-faint" aria-hidden />
          {place}
        </span>
      )}
    </p>
  )
}

/** `git@host:acme/shop.git` and `https://host/acme/shop.git` are both `acme/shop` to people. */
const short = (address: string) =>
  address
    .replace(/^(\w+:\/\/[^/]+\/|[^:/]+:)/, '')
    .replace(/\.git$/, '')
    .replace(/\/$/, '')
