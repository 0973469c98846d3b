import type { Project } from '@slipway/contract/projects'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { domainsQuery } from '../api/domains.ts'
import { useMay } from '../api/use-may.ts'
import { GatedButton } from '../ui/gated-button.tsx'
import { Bones, Card, Empty } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { Section } from '../ui/section.tsx'
import { Stale } from '../ui/stale.tsx'
import { AddDomain } from './add-domain.tsx'
import { CheckedDomain } from './checked-domain.tsx'

/** The names that lead to a project. */
export function DomainsSide({ project }: { project: Project }) {
  const [isAdding, setAdding] = useState(false)
  const may = useMay()
  const query = useQuery(domainsQuery(project.id))
  const add = (
    <GatedButton look="primary" reason={may('project:write')} onClick={() => setAdding(true)}>
      <Plus size={14} aria-hidden /> Add a domain
    </GatedButton>
  )
  return (
    <Section title="Domains" note="Names that lead visitors to this project." action={add}>
      <Stale query={query} />
      {query.isPending && <Bones rows={2} />}
      {query.isLoadingError && <Refused error={query.error} onRetry={() => query.refetch()} />}
      {query.data?.length === 0 && (
        <Empty title="No name leads here">Add one of your own. A free one comes with a public deployment.</Empty>
      )}
      {query.data && query.data.length > 0 && (
        <Card className={query.isError ? 'opacity-60' : ''}>
          <ul className="divide-y divide-line">
            {query.data.map((domain) => (
              <CheckedDomain key={`${domain.host}${domain.targetPath ?? ''}`} projectId={project.id} domain={domain} />
            ))}
          </ul>
        </Card>
      )}
      {isAdding && <AddDomain project={project} onClose={() => setAdding(false)} />}
    </Section>
  )
}
