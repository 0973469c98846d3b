import type { Project } from '@slipway/contract/projects'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api, wordsOf } from '../api/client.ts'
import { domainsQuery } from '../api/domains.ts'
import { promotionQuery, volumesQuery } from '../api/projects.ts'
import { instanceQuery } from '../api/queries.ts'
import { useMay } from '../api/use-may.ts'
import { useWrite } from '../api/use-write.ts'
import { listed } from '../deployments/consequences.ts'
import { Confirm } from '../ui/confirm.tsx'
import { Field } from '../ui/field.tsx'
import { GatedButton } from '../ui/gated-button.tsx'

type Volumes = 'keep' | 'delete'

export function DeleteProject({ project }: { project: Project }) {
  const [asking, setAsking] = useState(false)
  const may = useMay()
  const inCloud = useInCloud(project)
  const reason = may('project:admin') ?? (project.active ? may('deployment:admin') : null) ?? inCloud
  return (
    <>
      <GatedButton look="danger" reason={reason} onClick={() => setAsking(true)}>
        <Trash2 size={14} aria-hidden /> Delete the project
      </GatedButton>
      {asking && <Dialog project={project} onClose={() => setAsking(false)} />}
    </>
  )
}

/** The API refuses it then, and what runs here would have been stopped for nothing. */
function useInCloud({ id, target }: Project): string | null {
  const { data: instance } = useQuery(instanceQuery)
  const { data: promotion } = useQuery({ ...promotionQuery(id), enabled: instance?.mode === 'self_hosted' })
  const isThere = target === 'cloud' || promotion?.state === 'running'
  return isThere ? 'The hosted cloud has it as well, or is about to. Give that back on the overview first.' : null
}

/** It cannot be taken back, so the name is typed. What runs is stopped first, because the API deletes nothing that serves. */
function Dialog({ project, onClose }: { project: Project; onClose(): void }) {
  const [typed, setTyped] = useState('')
  const [volumes, setVolumes] = useState<Volumes>('keep')
  const consequences = useConsequences(project, volumes)
  const remove = useRemove(project)
  return (
    <Confirm
      open
      title={`Delete ${project.name}?`}
      consequences={consequences}
      verb="Delete the project"
      danger
      isReady={typed === project.name}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(volumes)}
      onClose={onClose}
    >
      <VolumeChoice projectId={project.id} value={volumes} onChange={setVolumes} />
      <Field
        label={`Type ${project.name} to go on`}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </Confirm>
  )
}

function useRemove(project: Project) {
  const client = useQueryClient()
  const navigate = useNavigate()
  return useWrite({
    send: async (volumes: Volumes) => {
      if (project.active) await stop(project.active.id)
      await api.projects.remove({ params: { id: project.id }, query: { volumes } })
    },
    refresh: [['projects'], ['deployments'], ['overview']],
    onDone: async () => {
      await navigate({ to: '/', ignoreBlocker: true })
      client.removeQueries({ queryKey: ['project', project.id] })
    },
  })
}

/** A second try, after the deletion itself was refused, finds nothing to stop any more. */
async function stop(id: string): Promise<void> {
  try {
    await api.deployments.remove({ params: { id }, query: { force: 'true' } })
  } catch (error) {
    if ((error as { status?: number }).status !== 404) throw error
  }
}

function useConsequences({ id, active }: Project, volumes: Volumes): string[] {
  const { data: names = [] } = useQuery(domainsQuery(id))
  const hosts = [...new Set(names.map(({ host }) => host))]
  return [
    ...(active ? [`What runs of #${active.number} is stopped first: visitors get nothing any more.`] : []),
    ...(hosts.length > 0
      ? [
          `${listed(hosts)} ${hosts.length === 1 ? 'leads' : 'lead'} nowhere, and anyone may take ${hosts.length === 1 ? 'it' : 'them'}.`,
        ]
      : []),
    'Its settings, variables, deployments and their logs are gone for good.',
    volumes === 'keep'
      ? 'Its volumes stay on the server, with all data in them.'
      : 'Its volumes go as well, with all data in them. Nothing brings that back.',
    'The repository and your folders are not touched.',
  ]
}

type ChoiceProps = { projectId: string; value: Volumes; onChange(value: Volumes): void }

function VolumeChoice({ projectId, value, onChange }: ChoiceProps) {
  const query = useQuery(volumesQuery(projectId))
  const found = query.data ?? []
  const said = query.isPending
    ? 'Looking for volumes …'
    : query.isError
      ? `Whether it has volumes could not be looked at: ${wordsOf(query.error).sentence}`
      : found.length === 0
        ? 'It has no volumes that the engines show.'
        : `It has ${listed(found.map(({ key, name }) => key ?? name))}.`
  return (
    <fieldset>
      <legend className="font-medium">Volumes</legend>
      <p className="mt-0.5 text-xs text-faint text-pretty">{said}</p>
      {(['keep', 'delete'] as const).map((way) => (
        <label key={way} className="mt-1.5 flex min-h-6 items-center gap-2.5 pointer-coarse:min-h-11">
          <input
            type="radio"
            name="volumes"
            value={way}
            checked={value === way}
            onChange={() => onChange(way)}
            className="size-4 accent-(--brand)"
          />
          {way === 'keep' ? 'Keep them' : 'Delete them too'}
        </label>
      ))}
    </fieldset>
  )
}
