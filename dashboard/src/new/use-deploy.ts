import type { Preparation } from '@slipway/contract/prepare'
import type { Project } from '@slipway/contract/projects'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { newActKey } from '../api/act-key.ts'
import { api } from '../api/client.ts'
import { type Draft, servicesOf, setVariables } from './draft.ts'
import type { Source } from './source.ts'

export type Wanted = { source: Source; plan: Preparation | null; draft: Draft; project: Project | null }

/**
 * Makes the project, gives it its variables, and deploys: each only when the one before has been answered. Where a later one is
 * refused, the project that was made stays, is told of, and is the one that the next try deploys.
 */
export function useDeploy() {
  const client = useQueryClient()
  const navigate = useNavigate()
  const [made, setMade] = useState<Project | null>(null)
  const keyFor = useKeys()
  const deploy = useMutation({
    mutationFn: async ({ source, plan, draft, project: known }: Wanted) => {
      let project = known ?? made
      if (project === null) {
        const body = {
          name: draft.name.trim(),
          ...repositoryOf(source),
          ...(draft.serverId && { serverId: draft.serverId }),
        }
        project = await api.projects.create({ body, headers: keyFor('project', body) })
        setMade(project)
      }
      const variables = setVariables(draft.variables)
      if (variables.length > 0) {
        const body = { variables }
        await api.variables.set({ params: { id: project.id }, body, headers: keyFor('variables', body) })
      }
      const body = { projectId: project.id, ...bodyOf(source, plan, draft) }
      const started = await api.deployments.buildAccess({ body, headers: keyFor('deployment', body) })
      if ('dryRun' in started) throw new Error('It was not asked for a dry run.')
      return started.deployment_id
    },
    onSuccess: (id) => void navigate({ to: '/deployments/$id', params: { id } }),
    onSettled: () => {
      for (const queryKey of [['projects'], ['deployments'], ['overview']]) void client.invalidateQueries({ queryKey })
    },
  })
  return { ...deploy, made }
}

/** The same said again, because no answer came, is the same act; anything else is another one. */
function useKeys() {
  const known = useRef(new Map<string, string>())
  return (what: string, body: object) => {
    const act = `${what} ${JSON.stringify(body)}`
    const key = known.current.get(act) ?? newActKey()
    known.current.set(act, key)
    return { 'idempotency-key': key }
  }
}

const repositoryOf = (source: Source) =>
  source.kind === 'repository' ? { repository: source.repository.cloneUrl, branch: source.branch } : {}

function bodyOf(source: Source, plan: Preparation | null, draft: Draft) {
  const services = servicesOf(plan, source, draft.edits)
  const label = draft.label.trim()
  return {
    ...(source.kind === 'folder' && { uploadSessionId: source.uploadSessionId }),
    ...(source.kind === 'repository' && { branch: source.branch }),
    ...(source.kind === 'image' && { image: source.image }),
    ...(draft.serverId && { serverId: draft.serverId }),
    // Settings of services as slipway.json has them are for the server to check.
    ...(services && { services: services as never }),
    ...(label !== '' && { publicEndpoints: [{ domain: label, domainType: 'free' as const }] }),
  }
}
