import { useInfiniteQuery } from '@tanstack/react-query'
import { HardDriveUpload } from 'lucide-react'
import { useState } from 'react'
import { destinationPagesQuery } from '../api/pages.ts'
import { useMay } from '../api/use-may.ts'
import { GatedButton } from '../ui/gated-button.tsx'
import { Bones, Code, Empty, Page, PageHead } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { ShowOlder } from '../ui/show-older.tsx'
import { Stale } from '../ui/stale.tsx'
import { useTitle } from '../ui/title.ts'
import { DestinationCard } from './destination-card.tsx'
import { DestinationDialog } from './destination-dialog.tsx'

/** Where backups may go. Each is written to, read back and cleaned before it counts as good. */
export function BackupsPage() {
  useTitle('Backups · Slipway')
  const list = useInfiniteQuery(destinationPagesQuery)
  const may = useMay()
  /** The id of the one that is changed, or that one is added. */
  const [open, setOpen] = useState<string | null>(null)
  return (
    <Page>
      <PageHead title="Backups" note="The places that backups may go to.">
        <GatedButton look="primary" reason={may('backup_destination:write')} onClick={() => setOpen('new')}>
          <HardDriveUpload size={14} aria-hidden /> Add a destination
        </GatedButton>
      </PageHead>
      <Stale query={list} />
      {list.isPending && <Bones rows={2} />}
      {list.isLoadingError && <Refused error={list.error} onRetry={() => list.refetch()} />}
      {list.data?.length === 0 && (
        <Empty title="There is no place for backups yet">
          A bucket, an SFTP server, a server of yours or a folder of this machine. On the command line:{' '}
          <Code>slipway backups add --help</Code>
        </Empty>
      )}
      {list.data && list.data.length > 0 && (
        <ul className={`space-y-4 ${list.isError ? 'opacity-60' : ''}`}>
          {list.data.map((one) => (
            <DestinationCard key={one.id} destination={one} onChange={() => setOpen(one.id)} />
          ))}
        </ul>
      )}
      <ShowOlder list={list} />
      {open && (
        <DestinationDialog
          key={open}
          destination={list.data?.find(({ id }) => id === open) ?? null}
          onClose={() => setOpen(null)}
        />
      )}
    </Page>
  )
}
