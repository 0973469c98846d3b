import type { BackupDestination, DestinationKind } from '@slipway/contract/backup-destinations'
import { useState } from 'react'
import { isRefusal } from '../api/client.ts'
import { problemsIn } from '../api/problem-at.ts'
import { Field } from '../ui/field.tsx'
import { Choice } from '../ui/forms/choice.tsx'
import { FormDialog } from '../ui/forms/form-dialog.tsx'
import { Moved } from '../ui/forms/moved.tsx'
import { Tick } from '../ui/forms/tick.tsx'
import { KindFields } from './kind-fields.tsx'
import { FIELD_NAMES, readForm } from './read-form.ts'
import { useSaveDestination } from './use-save-destination.ts'
import { KIND_WORDS } from './words.ts'

const KINDS = Object.entries(KIND_WORDS).map(([value, label]) => ({ value, label }))

/** `destination` null: a new one. What is stored is looked at when it opens; what is typed is never overwritten by a later look. */
export function DestinationDialog({
  destination,
  onClose,
}: {
  destination: BackupDestination | null
  onClose(): void
}) {
  const [opened] = useState(destination)
  const [kind, setKind] = useState<DestinationKind>(opened?.kind ?? 's3_compatible')
  const save = useSaveDestination(opened, destination?.version, onClose)
  const { at, rest } = problemsIn(save.error, FIELD_NAMES)
  const isStale = isRefusal(save.error) && save.error.body.code === 'stale'
  return (
    <FormDialog
      title={opened ? `Change ${opened.name}` : 'Add a destination'}
      note={opened ? 'A secret that you leave alone stays as it is.' : 'It can be checked as soon as it is there.'}
      verb={opened ? 'Save' : 'Add'}
      busy={save.isPending}
      error={rest}
      onSend={(form) => save.mutate({ kind, ...readForm(form, kind) })}
      onClose={onClose}
    >
      {isStale && opened && destination && <Moved opened={opened} stored={destination} labels={LABELS} />}
      {!opened && (
        <Choice
          label="Kind"
          value={kind}
          onChange={(event) => setKind(event.currentTarget.value as DestinationKind)}
          choices={KINDS}
        />
      )}
      <Field
        label="Name"
        name="name"
        required
        autoComplete="off"
        defaultValue={opened?.name ?? ''}
        problem={at.name ?? null}
      />
      <KindFields key={kind} kind={kind} opened={opened} at={at} />
      <Field
        label="Below"
        name="pathPrefix"
        defaultValue={opened?.pathPrefix ?? ''}
        hint="A folder or prefix, such as slipway/shop. Empty: at the top."
        problem={at.pathPrefix ?? null}
      />
      {!opened?.isDefault && <Tick name="isDefault">Backups that name no destination go here</Tick>}
    </FormDialog>
  )
}

const LABELS = {
  name: 'the name',
  endpoint: 'the endpoint',
  bucket: 'the bucket',
  region: 'the region',
  sshHost: 'the host',
  sshPort: 'the port',
  sshUser: 'the user',
  pathPrefix: 'the prefix',
} satisfies Partial<Record<keyof BackupDestination, string>>
