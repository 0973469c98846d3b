import type { ServiceConfig } from '@slipway/contract/services'
import { api } from '../api/client.ts'
import { problemsIn } from '../api/problem-at.ts'
import { servicesQuery } from '../api/projects.ts'
import { useWrite } from '../api/use-write.ts'
import { Field } from '../ui/field.tsx'
import { Choice } from '../ui/forms/choice.tsx'
import { FormDialog } from '../ui/forms/form-dialog.tsx'
import { TextArea } from '../ui/forms/text-area.tsx'
import { textIn } from '../ui/forms/text-in.ts'
import { Caution } from '../ui/tag.tsx'
import { configAfter, SERVICE_FIELDS, SERVICE_PATHS, type ServiceField, shownIn } from './service-fields.ts'

export type Edited = { name: string | null; config: ServiceConfig; caution: string | null }
type Props = { projectId: string; edited: Edited; onClose(): void }

/** `edited.name` null: a service that is not described yet. */
export function ServiceForm({ projectId, edited: { name, config, caution }, onClose }: Props) {
  const put = useWrite({
    send: ({ name, config }: { name: string; config: ServiceConfig }) =>
      api.services.put({ params: { id: projectId, name }, body: config }),
    refresh: [servicesQuery(projectId).queryKey],
    onDone: onClose,
  })
  const { at, rest } = problemsIn(put.error, [...SERVICE_PATHS, 'name'])
  const send = (form: FormData) => {
    const said = (path: string) => String(form.get(path) ?? '')
    put.mutate({ name: name ?? textIn(form, 'name') ?? '', config: configAfter(config, said) })
  }
  return (
    <FormDialog
      title={name ? `Settings of ${name}` : 'Describe a service'}
      note="They hold from the next deployment on. What is left empty is decided by what is found in the source."
      verb="Save"
      busy={put.isPending}
      error={rest}
      onSend={send}
      onClose={onClose}
    >
      {caution && <Caution>{caution}</Caution>}
      {name === null && (
        <Field
          label="Name"
          name="name"
          required
          autoFocus
          autoComplete="off"
          defaultValue="web"
          pattern="[a-z0-9]([a-z0-9_\-]{0,61}[a-z0-9])?"
          hint="Lower case letters, digits, - or _."
          problem={at.name ?? null}
        />
      )}
      {Object.entries(SERVICE_FIELDS).map(([title, fields]) => (
        <fieldset key={title} className="border-t border-line pt-3">
          <legend className="float-left mb-3 w-full text-xs font-semibold text-soft">{title}</legend>
          <div className="clear-both grid gap-x-4 gap-y-3 sm:grid-cols-2">
            {fields.map((field) => (
              <Input key={field.path} field={field} shown={shownIn(config, field)} problem={at[field.path] ?? null} />
            ))}
          </div>
        </fieldset>
      ))}
    </FormDialog>
  )
}

type InputProps = { field: ServiceField; shown: string; problem: string | null }

function Input({ field: { path, label, kind, hint, choices, ...rest }, shown, problem }: InputProps) {
  const given = { label, name: path, defaultValue: shown, problem, ...(hint && { hint }) }
  if (kind === 'choice') return <Choice {...given} choices={choices ?? []} />
  if (kind === 'lines') return <TextArea {...given} rows={2} />
  if (kind === 'text') return <Field {...given} autoComplete="off" spellCheck={false} placeholder={rest.placeholder} />
  return <Field {...given} {...rest} step={rest.step ?? 1} type="number" inputMode="decimal" />
}
