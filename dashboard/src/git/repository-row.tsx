import type { GithostRepository } from '@slipway/contract/githost-shape'
import { Link } from '@tanstack/react-router'
import { ChevronRight, GitBranch, Lock } from 'lucide-react'
import { Age } from '../ui/time.tsx'
import { RepositoryDetail } from './repository-detail.tsx'
import type { GitView } from './view.ts'

/** Opens in place; which one is open is in the address. */
export function RepositoryRow({ repository, view }: { repository: GithostRepository; view: GitView }) {
  const { owner, name, fullName, defaultBranch, pushedAt, language, description } = repository
  const isOpen = view.repo === fullName
  return (
    <li>
      <Link
        to="/git"
        search={{ ...view, repo: isOpen ? undefined : fullName }}
        replace
        resetScroll={false}
        aria-expanded={isOpen}
        className="flex items-center gap-3 px-4 py-3 outline-offset-[-2px] hover:bg-hover/60"
      >
        <ChevronRight size={14} className={`shrink-0 text-faint ${isOpen ? 'rotate-90' : ''}`} aria-hidden />
        <span className="min-w-0 flex-1">
          <span className="flex items-center gap-2 font-medium">
            <span className="break-all">{fullName}</span>
            {repository.private && <Lock size={12} className="shrink-0 text-faint" role="img" aria-label="Private" />}
          </span>
          {description && <span className="block truncate text-xs text-faint">{description}</span>}
        </span>
        <span className="w-28 truncate text-xs text-soft max-md:hidden">{language}</span>
        <span className="flex w-32 items-center gap-1.5 text-xs text-soft max-sm:hidden">
          <GitBranch size={13} className="shrink-0 text-faint" aria-hidden />
          <span className="truncate font-mono">{defaultBranch}</span>
        </span>
        <span className="shrink-0 text-right text-xs text-faint sm:w-24">
          <Age at={pushedAt} />
        </span>
      </Link>
      {isOpen && <RepositoryDetail owner={owner} name={name} url={repository.htmlUrl} />}
    </li>
  )
}
