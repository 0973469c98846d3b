import type { Project } from '@slipway/contract/projects'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { servicesQuery } from '../api/projects.ts'
import { activeOfQuery, instanceQuery } from '../api/queries.ts'
import { useMay } from '../api/use-may.ts'
import { GatedButton } from '../ui/gated-button.tsx'
import { Bones, Card, Empty } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { Section } from '../ui/section.tsx'
import { Stale } from '../ui/stale.tsx'
import { Grants } from './grants.tsx'
import { RemoveService } from './remove-service.tsx'
import { type Edited, ServiceForm } from './service-form.tsx'
import { ServiceRow } from './service-row.tsx'
import { Volumes } from './volumes.tsx'

/** What is said of each service beside what its source says, and where it keeps its data. */
export function ServicesSide({ project }: { project: Project }) {
  const { data: instance } = useQuery(instanceQuery)
  return (
    <>
      <Described project={project} />
      <Volumes projectId={project.id} />
      {instance?.mode === 'self_hosted' && <Grants projectId={project.id} />}
    </>
  )
}

const LEFT_OUT =
  'Until now the source alone says which services there are. From the next deployment on those that are described here count, and others are left out, unless a compose file names them.'

function Described({ project }: { project: Project }) {
  const [edited, setEdited] = useState<Edited | null>(null)
  const [removed, setRemoved] = useState<string | null>(null)
  const may = useMay()
  const query = useQuery(servicesQuery(project.id))
  const { data: active } = useQuery(activeOfQuery(project.id))
  const isFirst = query.data?.length === 0 && (active?.services.length ?? 0) > 1
  const describe = () => setEdited({ name: null, config: {}, caution: isFirst ? LEFT_OUT : null })
  return (
    <Section
      title="Services"
      note="Settings hold from the next deployment on."
      action={
        <GatedButton look="primary" reason={may('project:write')} onClick={describe}>
          <Plus size={14} aria-hidden /> Describe a service
        </GatedButton>
      }
    >
      <Stale query={query} />
      {query.isPending && <Bones rows={2} />}
      {query.isLoadingError && <Refused error={query.error} onRetry={() => query.refetch()} />}
      {query.data?.length === 0 && (
        <Empty title="The source says it all">
          Which services there are is found in the source: a compose file, packages of a workspace, or one that is
          called web. Describe one to set its replicas, limits, port or health check.
        </Empty>
      )}
      {query.data && query.data.length > 0 && (
        <Card className={query.isError ? 'opacity-60' : ''}>
          <ul className="divide-y divide-line">
            {query.data.map((service) => (
              <ServiceRow
                key={service.name}
                service={service}
                onChange={() => setEdited({ name: service.name, config: service.config, caution: null })}
                onRemove={() => setRemoved(service.name)}
              />
            ))}
          </ul>
        </Card>
      )}
      {edited && <ServiceForm projectId={project.id} edited={edited} onClose={() => setEdited(null)} />}
      {removed && <RemoveService projectId={project.id} name={removed} onClose={() => setRemoved(null)} />}
    </Section>
  )
}
