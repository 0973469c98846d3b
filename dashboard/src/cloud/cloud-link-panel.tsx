import type { CloudLink } from '@slipway/contract/link'
import { useQuery } from '@tanstack/react-query'
import { Link2 } from 'lucide-react'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { cloudLinkQuery } from '../api/platform.ts'
import { useMay } from '../api/use-may.ts'
import { useWrite } from '../api/use-write.ts'
import { DeviceCode } from '../ui/forms/device-code.tsx'
import { GatedButton } from '../ui/gated-button.tsx'
import { Bones, Card, Code, Empty } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { Section } from '../ui/section.tsx'
import { Stale } from '../ui/stale.tsx'
import { Caution } from '../ui/tag.tsx'
import { Linked } from './linked.tsx'

export function CloudLinkPanel() {
  const link = useQuery(cloudLinkQuery)
  const { data } = link
  const [left, setLeft] = useState<string | null>(null)
  return (
    <Section
      title="A hosted cloud"
      note="An organization that is linked to one can promote projects there and use its app at the git host. Only this instance asks; nothing has to be opened to the outside."
    >
      <Stale query={link} />
      {link.isPending && <Bones rows={2} />}
      {link.isLoadingError && <Refused error={link.error} onRetry={() => link.refetch()} />}
      {data && (
        <div className="space-y-4">
          {data.problem && <Caution>{data.problem}</Caution>}
          {left && data.state !== 'linked' && <Caution>{left}</Caution>}
          {data.state === 'linked' && <Linked link={data} onLeft={setLeft} />}
          {data.state === 'pending' && <Pending link={data} />}
          {data.state === 'none' && <NotLinked cloudUrl={data.cloudUrl} />}
        </div>
      )}
    </Section>
  )
}

function useBegin() {
  return useWrite({
    send: (_, headers) => api.cloudLink.begin({ headers }),
    refresh: [cloudLinkQuery.queryKey],
  })
}

function NotLinked({ cloudUrl }: { cloudUrl: string | null }) {
  const begin = useBegin()
  const reason = useMay()('server:admin')
  if (cloudUrl === null)
    return (
      <Empty title="No cloud is set">
        Whoever runs this instance names one in <Code>SLIPWAY_CLOUD_URL</Code>. Nothing here needs it.
      </Empty>
    )
  return (
    <Card className="p-4">
      <p className="mb-3 text-soft text-pretty">
        This organization is not linked to <Code>{new URL(cloudUrl).host}</Code>. You get a code, and an owner or admin
        of an organization there types it in.
      </p>
      <GatedButton look="primary" reason={reason} busy={begin.isPending} onClick={() => begin.mutate()}>
        <Link2 size={14} aria-hidden /> Link to the cloud
      </GatedButton>
      <Refused error={begin.error} className="mt-3" />
    </Card>
  )
}

function Pending({ link: { userCode, verifyUrl, expiresAt } }: { link: CloudLink }) {
  const begin = useBegin()
  const reason = useMay()('server:admin')
  return (
    <Card>
      {userCode && verifyUrl && expiresAt && (
        <DeviceCode
          code={userCode}
          at={verifyUrl}
          until={expiresAt}
          note="Somebody who is an owner or admin at the cloud types this code there. This page notices when it is done."
        />
      )}
      <div className="border-t border-line p-4">
        <GatedButton size="sm" reason={reason} busy={begin.isPending} onClick={() => begin.mutate()}>
          Ask for another code
        </GatedButton>
        <Refused error={begin.error} className="mt-3" />
      </div>
    </Card>
  )
}
