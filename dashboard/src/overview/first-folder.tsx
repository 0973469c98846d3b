import { useNavigate } from '@tanstack/react-router'
import { useMay } from '../api/use-may.ts'
import { DropZone } from '../folders/drop-zone.tsx'
import { handOver } from '../folders/handed-over.ts'
import { OtherSources } from '../new/other-sources.tsx'

/** Where there is no project yet: what would be one can be dropped right here. */
export function FirstFolder() {
  const navigate = useNavigate()
  const may = useMay()
  return (
    <section aria-label="The first project" className="mt-8 max-w-3xl">
      <DropZone
        reason={may('project:write')}
        onFolder={(entries) => {
          handOver(entries)
          void navigate({ to: '/new', search: { from: 'folder' } })
        }}
      />
      <OtherSources from="folder" />
    </section>
  )
}
