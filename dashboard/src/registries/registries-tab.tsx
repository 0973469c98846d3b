import { useInfiniteQuery } from '@tanstack/react-query'
import { Package } from 'lucide-react'
import { useState } from 'react'
import { registryPagesQuery } from '../api/pages.ts'
import { useMay } from '../api/use-may.ts'
import { GatedButton } from '../ui/gated-button.tsx'
import { Bones, Card, Empty } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { Section } from '../ui/section.tsx'
import { ShowOlder } from '../ui/show-older.tsx'
import { Stale } from '../ui/stale.tsx'
import { RegistryDialog } from './registry-dialog.tsx'
import { RegistryRow } from './registry-row.tsx'

export function RegistriesTab() {
  const registries = useInfiniteQuery(registryPagesQuery)
  const may = useMay()
  /** The id of the one that is changed, or that one is added. */
  const [open, setOpen] = useState<string | null>(null)
  return (
    <Section
      title="Private registries"
      note="What images are pulled and pushed with. A registry is asked before its credential is kept."
      action={
        <GatedButton look="primary" reason={may('registry:write')} onClick={() => setOpen('new')}>
          <Package size={14} aria-hidden /> Add a registry
        </GatedButton>
      }
    >
      <Stale query={registries} />
      {registries.isPending && <Bones rows={2} />}
      {registries.isLoadingError && <Refused error={registries.error} onRetry={() => registries.refetch()} />}
      {registries.data?.length === 0 && <Empty title="There are no private registries">Public images need none.</Empty>}
      {registries.data && registries.data.length > 0 && (
        <Card>
          <ul className="divide-y divide-line">
            {registries.data.map((registry) => (
              <RegistryRow key={registry.id} registry={registry} onChange={() => setOpen(registry.id)} />
            ))}
          </ul>
        </Card>
      )}
      <ShowOlder list={registries} />
      {open && (
        <RegistryDialog
          key={open}
          registry={registries.data?.find(({ id }) => id === open) ?? null}
          onClose={() => setOpen(null)}
        />
      )}
    </Section>
  )
}
