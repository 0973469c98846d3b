import type { BackupDestination } from '@slipway/contract/backup-destinations'
import { useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { destinationsQuery, serversQuery } from '../api/queries.ts'
import { useMay } from '../api/use-may.ts'
import { useWrite } from '../api/use-write.ts'
import { GatedButton } from '../ui/gated-button.tsx'
import { Card } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { Badge, Tag } from '../ui/tag.tsx'
import { Age } from '../ui/time.tsx'
import { DestinationMenu } from './destination-menu.tsx'
import { VerifySteps } from './verify-steps.tsx'
import { KIND_WORDS, placeOf } from './words.ts'

type Props = { destination: BackupDestination; onChange(): void }

export function DestinationCard({ destination, onChange }: Props) {
  const { id, name, kind, isDefault, serverId, lastVerifyError, lastVerifySteps } = destination
  const { data: servers = [] } = useQuery(serversQuery)
  const check = useWrite({
    send: (_, headers) => api.backupDestinations.preflight({ params: { id }, headers }),
    refresh: [destinationsQuery.queryKey],
  })
  const serverName = servers.find((one) => one.id === serverId)?.name
  return (
    <li>
      <Card>
        <div className="flex flex-wrap items-start gap-x-3 gap-y-3 p-4">
          <div className="min-w-0 flex-1 basis-64">
            <h2 className="flex flex-wrap items-center gap-2 font-semibold">
              <span className="break-words">{name}</span>
              {isDefault && <Badge>default</Badge>}
            </h2>
            <p className="mt-0.5 text-xs text-soft">
              {KIND_WORDS[kind]} · <span className="font-mono break-all">{placeOf(destination, serverName)}</span>
            </p>
          </div>
          <State destination={destination} />
          <div className="flex gap-1">
            <GatedButton
              size="md"
              reason={useMay()('backup_destination:write')}
              busy={check.isPending}
              aria-label={`Check ${name}`}
              onClick={() => check.mutate()}
            >
              Check
            </GatedButton>
            <DestinationMenu destination={destination} onChange={onChange} />
          </div>
        </div>
        <div className="space-y-2 border-t border-line px-4 py-3">
          <VerifySteps steps={lastVerifySteps} isRunning={check.isPending} />
          {lastVerifyError && !check.isPending && <p className="text-bad text-pretty">{lastVerifyError}</p>}
          <Refused error={check.error} />
        </div>
      </Card>
    </li>
  )
}

function State({ destination: { lastVerifiedAt, lastVerifyError, brokenSince } }: Pick<Props, 'destination'>) {
  if (lastVerifyError)
    return (
      <span className="flex flex-wrap items-center gap-2">
        <Tag tone="bad">Broken</Tag>
        {brokenSince && (
          <span className="text-xs text-faint">
            since <Age at={brokenSince} />
          </span>
        )}
      </span>
    )
  if (!lastVerifiedAt) return <Tag tone="idle">Not checked yet</Tag>
  return (
    <span className="flex flex-wrap items-center gap-2">
      <Tag tone="ok">Works</Tag>
      <span className="text-xs text-faint">
        checked <Age at={lastVerifiedAt} />
      </span>
    </span>
  )
}
