import type { GithostRepository } from '@slipway/contract/githost-shape'
import type { Project } from '@slipway/contract/projects'
import { Link } from '@tanstack/react-router'
import { Lock } from 'lucide-react'
import { Badge } from '../ui/tag.tsx'
import { Age } from '../ui/time.tsx'

/** Two addresses of one repository: some end with .git. */
const bare = (address: string) => address.toLowerCase().replace(/\.git$/, '')

export function RepositoryRow({ repository, projects }: { repository: GithostRepository; projects: Project[] }) {
  const { owner, name, fullName, private: isPrivate, description, pushedAt, cloneUrl } = repository
  const linked = projects.filter((one) => one.repository !== null && bare(one.repository) === bare(cloneUrl))
  return (
    <li>
      <Link
        to="/new"
        search={(now) => ({ ...now, owner, repo: name })}
        data-row
        className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3 outline-offset-[-2px] hover:bg-hover/60"
      >
        <span className="min-w-0 flex-1 basis-60">
          <span className="flex flex-wrap items-center gap-2">
            <span className="font-medium break-all">{fullName}</span>
            {isPrivate && (
              <span className="inline-flex items-center gap-1 text-xs text-faint">
                <Lock size={12} aria-hidden /> private
              </span>
            )}
            {linked.map(({ id, name: project }) => (
              <Badge key={id}>{`linked to ${project}`}</Badge>
            ))}
          </span>
          {description && <span className="block truncate text-xs text-soft">{description}</span>}
        </span>
        <span className="text-xs text-faint">
          pushed <Age at={pushedAt} />
        </span>
      </Link>
    </li>
  )
}
