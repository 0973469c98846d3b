import type { Project } from '@slipway/contract/projects'
import { useQuery } from '@tanstack/react-query'
import { CirclePause, Unlink } from 'lucide-react'
import type { ReactNode } from 'react'
import { api } from '../api/client.ts'
import { activeOfQuery } from '../api/queries.ts'
import { useMay } from '../api/use-may.ts'
import { useWrite } from '../api/use-write.ts'
import { GatedButton } from '../ui/gated-button.tsx'
import { Refused } from '../ui/refused.tsx'

const PROBLEMS: Record<NonNullable<Project['repositoryProblem']>, string> = {
  replaced: 'Another repository has its name now, and that one is not deployed. Link the right one in the settings.',
  not_seen: 'The connection to the git host does not see its repository any more, so pushes do not arrive.',
}

/** Why a push does not deploy although it should: it needs somebody, so it stands above everything else. */
export function PushNote({ project }: { project: Project }) {
  if (project.repositoryProblem)
    return (
      <Note icon={<Unlink size={15} className="mt-0.5 shrink-0" aria-hidden />}>
        <span className="flex-1">{PROBLEMS[project.repositoryProblem]}</span>
      </Note>
    )
  return project.autoDeployPaused && project.repository ? <Paused project={project} /> : null
}

function Paused({ project }: { project: Project }) {
  const may = useMay()
  const { data: active } = useQuery(activeOfQuery(project.id))
  const resume = useWrite({
    send: (version: number) =>
      api.projects.update({
        params: { id: project.id },
        body: { settings: { autoDeploy: true } },
        headers: { 'if-match': `"${version}"` },
      }),
    refresh: [['project', project.id], ['projects']],
  })
  const why =
    active?.trigger === 'rollback'
      ? `Pushes are not deployed: ${active.createdBy.name} went back with #${active.number}.`
      : 'Pushes are not deployed: somebody went back, or a release did not hold.'
  return (
    <Note icon={<CirclePause size={15} className="mt-0.5 shrink-0 sm:mt-1.5" aria-hidden />}>
      <span className="flex-1 basis-52">{why}</span>
      <GatedButton
        size="sm"
        reason={may('project:write')}
        busy={resume.isPending}
        onClick={() => resume.mutate(project.version)}
      >
        Resume
      </GatedButton>
      <Refused error={resume.error} className="basis-full" />
    </Note>
  )
}

const Note = ({ icon, children }: { icon: ReactNode; children: ReactNode }) => (
  <div className="mt-3 flex gap-2 rounded-lg bg-ask-tint px-3 py-2 text-ask">
    {icon}
    <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-2 text-pretty">{children}</div>
  </div>
)
