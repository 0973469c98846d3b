import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { type InstanceLink, linksQuery } from '../api/platform.ts'
import { useMay } from '../api/use-may.ts'
import { useWrite } from '../api/use-write.ts'
import { Confirm } from '../ui/confirm.tsx'
import { GatedButton } from '../ui/gated-button.tsx'
import { Bones, Card, Code, Empty } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { Section } from '../ui/section.tsx'
import { Stale } from '../ui/stale.tsx'
import { Age } from '../ui/time.tsx'

export function LinkedInstances() {
  const links = useQuery(linksQuery)
  return (
    <Section
      title="Linked instances"
      note="Servers of your own that may deploy to this organization and that deliveries of the git host are passed on to."
    >
      <Stale query={links} />
      {links.isPending && <Bones rows={2} />}
      {links.isLoadingError && <Refused error={links.error} onRetry={() => links.refetch()} />}
      {links.data?.length === 0 && (
        <Empty title="No instance is linked">
          On an instance of your own, run <Code>slipway cloud link</Code> or open Settings, Cloud. Type the code that it
          shows here: <Code>{`${location.origin}/device`}</Code>
        </Empty>
      )}
      {links.data && links.data.length > 0 && (
        <Card>
          <ul className="divide-y divide-line">
            {links.data.map((link) => (
              <LinkRow key={link.id} link={link} />
            ))}
          </ul>
        </Card>
      )}
    </Section>
  )
}

function LinkRow({ link: { id, name, instanceId, createdBy, createdAt, lastUsedAt } }: { link: InstanceLink }) {
  const [isAsking, setAsking] = useState(false)
  const revoke = useWrite({
    send: (_, headers) => api.links.revoke({ params: { id }, headers }),
    refresh: [linksQuery.queryKey],
    onDone: () => setAsking(false),
  })
  const ask = () => {
    revoke.begin()
    setAsking(true)
  }
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-60">
        <p className="font-medium break-words">{name}</p>
        <p className="text-xs break-words text-faint">
          <span className="font-mono">{instanceId}</span> · linked by {createdBy.name}, <Age at={createdAt} />
        </p>
      </div>
      <p className="text-xs text-soft">
        {lastUsedAt ? (
          <>
            asked <Age at={lastUsedAt} />
          </>
        ) : (
          'has not asked yet'
        )}
      </p>
      <GatedButton size="sm" reason={useMay()('token:write')} aria-label={`End the link of ${name}`} onClick={ask}>
        End the link
      </GatedButton>
      <Confirm
        open={isAsking}
        title={`End the link of ${name}?`}
        consequences={[
          'Its next request is refused, and nothing is passed on to it.',
          'Projects that it has promoted here stay here and go on running.',
        ]}
        verb="End the link"
        danger
        busy={revoke.isPending}
        error={revoke.error}
        onConfirm={() => revoke.mutate()}
        onClose={() => setAsking(false)}
      />
    </li>
  )
}
