import type { Registry } from '@slipway/contract/registries'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, isRefusal } from '../api/client.ts'
import { registriesQuery } from '../api/platform.ts'
import { problemsIn } from '../api/problem-at.ts'
import { projectsQuery } from '../api/queries.ts'
import { useWrite } from '../api/use-write.ts'
import { Field } from '../ui/field.tsx'
import { changed } from '../ui/forms/changed.ts'
import { Choice } from '../ui/forms/choice.tsx'
import { FormDialog } from '../ui/forms/form-dialog.tsx'
import { Moved } from '../ui/forms/moved.tsx'
import { SecretField, secretIn } from '../ui/forms/secret-field.tsx'
import { textIn } from '../ui/forms/text-in.ts'

const FIELDS = ['host', 'path', 'username', 'password', 'projectId'] as const
type Sent = { host: string; path: string | null; username: string; projectId: string | null; password?: string }

/** `registry`: as it is stored now; null: a new one. What is typed is never overwritten by a later look at it. */
export function RegistryDialog({ registry: stored, onClose }: { registry: Registry | null; onClose(): void }) {
  const [registry] = useState(stored)
  const save = useSave(registry, stored?.version, onClose)
  const isStale = isRefusal(save.error) && save.error.body.code === 'stale'
  const { at, rest } = problemsIn(save.error, FIELDS)
  const send = (form: FormData) => {
    const password = secretIn(form, 'password')
    save.mutate({
      host: registry?.host ?? textIn(form, 'host') ?? '',
      path: textIn(form, 'path') ?? null,
      username: textIn(form, 'username') ?? '',
      projectId: textIn(form, 'projectId') ?? null,
      ...(password && { password }),
    })
  }
  return (
    <FormDialog
      title={registry ? `Change ${registry.host}` : 'Add a registry'}
      note="The registry is asked first; what it does not take is not kept."
      verb={registry ? 'Check and save' : 'Check and add'}
      busy={save.isPending}
      error={rest}
      onSend={send}
      onClose={onClose}
    >
      {isStale && registry && stored && <Moved opened={registry} stored={stored} labels={LABELS} />}
      {!registry && (
        <Field label="Host" name="host" required autoFocus placeholder="ghcr.io" problem={at.host ?? null} />
      )}
      <Field
        label="Only below"
        name="path"
        defaultValue={registry?.path ?? ''}
        hint="What follows the host in names of images, such as team. Empty: all of the host."
        problem={at.path ?? null}
      />
      <Field
        label="User"
        name="username"
        required
        autoComplete="off"
        defaultValue={registry?.username ?? ''}
        problem={at.username ?? null}
      />
      <SecretField
        label="Password or token"
        name="password"
        required
        isSet={registry !== null}
        problem={at.password ?? null}
      />
      <ForProject registry={registry} problem={at.projectId} />
    </FormDialog>
  )
}

const LABELS = { path: 'what it is only for', username: 'the user' }

function ForProject({ registry, problem }: { registry: Registry | null; problem: string | undefined }) {
  const { data: projects = [] } = useQuery(projectsQuery)
  return (
    <Choice
      key={projects.length}
      label="For"
      name="projectId"
      defaultValue={registry?.projectId ?? ''}
      choices={[
        { value: '', label: 'The whole organization' },
        ...projects.map(({ id, name }) => ({ value: id, label: `Only ${name}` })),
      ]}
      problem={problem}
    />
  )
}

function useSave(registry: Registry | null, version: number | undefined, onDone: () => void) {
  return useWrite({
    send: ({ host, password, ...rest }: Sent, headers) =>
      registry
        ? api.registries.update({
            params: { id: registry.id },
            body: { ...changed(registry, rest), ...(password && { password }) },
            headers: { ...headers, 'if-match': `"${version ?? registry.version}"` },
          })
        : api.registries.create({ body: { ...rest, host, password: password ?? '' }, headers }),
    refresh: [registriesQuery.queryKey],
    onDone,
  })
}
