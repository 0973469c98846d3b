import type { MountGrant } from '@slipway/contract/migration'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { grantsQuery } from '../api/projects.ts'
import { useMay } from '../api/use-may.ts'
import { useWrite } from '../api/use-write.ts'
import { Confirm } from '../ui/confirm.tsx'
import { GatedButton } from '../ui/gated-button.tsx'
import { Card } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { Section } from '../ui/section.tsx'
import { Badge } from '../ui/tag.tsx'
import { Age } from '../ui/time.tsx'

/** Only what was adopted has any: most projects show nothing here. */
export function Grants({ projectId }: { projectId: string }) {
  const query = useQuery(grantsQuery(projectId))
  if (query.isLoadingError) return <Refused error={query.error} onRetry={() => query.refetch()} />
  if (!query.data || query.data.length === 0) return null
  return (
    <Section title="Grants" note="What it may use of a server that is not its own, since it was adopted.">
      <Card>
        <ul className="divide-y divide-line">
          {query.data.map((grant) => (
            <Grant key={grant.id} projectId={projectId} grant={grant} />
          ))}
        </ul>
      </Card>
    </Section>
  )
}

function Grant({ projectId, grant }: { projectId: string; grant: MountGrant }) {
  const { id, kind, source, writable, createdBy, createdAt, revokedAt, revokedBy } = grant
  const [asking, setAsking] = useState(false)
  const may = useMay()
  const revoke = useWrite({
    send: () => api.migration.revokeGrant({ params: { id: projectId, grantId: id } }),
    refresh: [grantsQuery(projectId).queryKey],
    onDone: () => setAsking(false),
  })
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-52">
        <p className="flex flex-wrap items-center gap-2">
          <span className="font-mono text-xs font-medium break-all">{source}</span>
          <Badge>{kind}</Badge>
          <Badge>{writable ? 'read and write' : 'read only'}</Badge>
        </p>
        <p className="mt-0.5 text-xs text-faint">
          {revokedAt ? (
            <>
              taken back by {revokedBy} <Age at={revokedAt} />
            </>
          ) : (
            <>
              given by {createdBy} <Age at={createdAt} />
            </>
          )}
        </p>
      </div>
      {!revokedAt && (
        <GatedButton
          size="sm"
          aria-label={`Take ${source} back`}
          reason={may('project:admin') ?? may('server:write')}
          onClick={() => {
            revoke.begin()
            setAsking(true)
          }}
        >
          Take back
        </GatedButton>
      )}
      <Confirm
        open={asking}
        title={`Take ${source} back?`}
        consequences={[
          'The next deployment that needs it is refused.',
          'What runs keeps it until then. The data on the server stays.',
        ]}
        verb="Take back"
        danger
        busy={revoke.isPending}
        error={revoke.error}
        onConfirm={() => revoke.mutate()}
        onClose={() => setAsking(false)}
      />
    </li>
  )
}
