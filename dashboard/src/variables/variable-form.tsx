import { isRefusal } from '../api/client.ts'
import { useServiceNames } from '../service-settings/use-service-names.ts'
import { Field } from '../ui/field.tsx'
import { Choice } from '../ui/forms/choice.tsx'
import { FormDialog } from '../ui/forms/form-dialog.tsx'
import { TextArea } from '../ui/forms/text-area.tsx'
import { useSet } from './use-set.ts'
import { SCOPES, type Scope, type Variable } from './variable.ts'

type Props = { projectId: string; variable: Variable | null; onClose(): void }

/** A new one, or another value for one that there is. The value that it has never comes back into a field. */
export function VariableForm({ projectId, variable, onClose }: Props) {
  const services = useServiceNames(projectId)
  const set = useSet(projectId, onClose)
  const at = placeOf(set.error)
  const said = isRefusal(set.error) ? set.error.body.error : null
  return (
    <FormDialog
      title={variable ? `Change ${variable.name}` : 'Add a variable'}
      note="What runs keeps its value until the next deployment."
      verb={variable ? 'Change' : 'Add'}
      busy={set.isPending}
      error={at === null ? set.error : null}
      onSend={(form) => set.mutate([read(form, variable)])}
      onClose={onClose}
    >
      {!variable && (
        <Field
          label="Name"
          name="name"
          required
          autoFocus
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          maxLength={200}
          placeholder="DATABASE_URL"
          hint="Letters, digits and _, not starting with a digit."
          problem={at === 'name' ? said : null}
        />
      )}
      <TextArea
        label={variable ? 'New value' : 'Value'}
        name="value"
        autoFocus={variable !== null}
        hint={variable ? 'The value that it has now is replaced.' : 'Kept sealed. It may have several lines.'}
        problem={at === 'value' ? said : null}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        {!variable && (
          <Choice
            label="Service"
            name="service"
            choices={[{ value: '', label: 'Every service' }, ...services.map((one) => ({ value: one, label: one }))]}
            problem={at === 'service' ? said : null}
          />
        )}
        <Choice label="Used when" name="scope" choices={SCOPES} defaultValue={variable?.scope ?? 'all'} />
      </div>
    </FormDialog>
  )
}

function read(form: FormData, variable: Variable | null) {
  const service = variable ? variable.service : String(form.get('service') ?? '') || null
  return {
    name: variable?.name ?? String(form.get('name') ?? '').trim(),
    value: String(form.get('value') ?? ''),
    service,
    scope: String(form.get('scope')) as Scope,
  }
}

const FIELDS = ['name', 'value', 'service']
/** The server names places of a list: `variables.0.name`. */
function placeOf(error: unknown): string | null {
  const last = isRefusal(error) ? error.body.field?.split('.').at(-1) : undefined
  return FIELDS.find((field) => field === last) ?? null
}
