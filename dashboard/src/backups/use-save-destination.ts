import type { BackupDestination, DestinationKind } from '@slipway/contract/backup-destinations'
import { api } from '../api/client.ts'
import { destinationsQuery } from '../api/queries.ts'
import { useWrite } from '../api/use-write.ts'
import { changed } from '../ui/forms/changed.ts'
import type { Said } from './read-form.ts'

type NewBody = NonNullable<Parameters<typeof api.backupDestinations.create>[0]['body']>

/** `version`: of what is stored as far as this page has seen; the server refuses where somebody was faster. */
export function useSaveDestination(opened: BackupDestination | null, version: number | undefined, onDone: () => void) {
  return useWrite({
    send: ({ kind, ...said }: Said & { kind: DestinationKind }, headers) =>
      opened
        ? api.backupDestinations.update({
            params: { id: opened.id },
            body: changed(opened, said),
            headers: { ...headers, 'if-match': `"${version ?? opened.version}"` },
          })
        : // The form shows the fields of this very kind; what is missing or wrong, the server says at its field.
          api.backupDestinations.create({ body: { kind, ...said } as unknown as NewBody, headers }),
    refresh: [destinationsQuery.queryKey],
    onDone,
  })
}
