import { useState } from 'react'
import { useServiceNames } from '../service-settings/use-service-names.ts'
import { Choice } from '../ui/forms/choice.tsx'
import { FormDialog } from '../ui/forms/form-dialog.tsx'
import { TextArea } from '../ui/forms/text-area.tsx'
import { readEnv } from './read-env.ts'
import { useSet } from './use-set.ts'
import { keyOf, SCOPES, type Scope, type Variable } from './variable.ts'

/** As many as the API takes at once. */
const MOST = 500
type Props = { projectId: string; known: Variable[]; onClose(): void }

/** An `.env` file as it is; what is new and what is replaced is said before anything is sent. */
export function PasteEnv({ projectId, known, onClose }: Props) {
  const [text, setText] = useState('')
  const [service, setService] = useState('')
  const services = useServiceNames(projectId)
  const set = useSet(projectId, onClose)
  const pairs = readEnv(text)
  const tooMany = pairs.length > MOST ? `These are ${pairs.length}; at most ${MOST} are taken at once.` : null
  return (
    <FormDialog
      title="Paste an .env file"
      note="Ones that it does not name stay as they are."
      verb={pairs.length === 1 ? 'Set 1 variable' : `Set ${pairs.length} variables`}
      busy={set.isPending}
      error={set.error}
      onSend={(form) => {
        if (pairs.length === 0 || tooMany) return
        const scope = String(form.get('scope')) as Scope
        set.mutate(pairs.map((pair) => ({ ...pair, service: service || null, scope })))
      }}
      onClose={onClose}
    >
      <TextArea
        label="Its text"
        rows={8}
        autoFocus
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        placeholder={'DATABASE_URL=postgres://…\nSECRET_KEY="…"'}
        problem={tooMany ?? (text.trim() !== '' && pairs.length === 0 ? 'No line of it is NAME=value.' : null)}
      />
      <Found names={pairs.map(({ name }) => name)} known={known} service={service || null} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Choice
          label="Service"
          value={service}
          onChange={(event) => setService(event.currentTarget.value)}
          choices={[{ value: '', label: 'Every service' }, ...services.map((one) => ({ value: one, label: one }))]}
        />
        <Choice label="Used when" name="scope" choices={SCOPES} />
      </div>
    </FormDialog>
  )
}

function Found({ names, known, service }: { names: string[]; known: Variable[]; service: string | null }) {
  if (names.length === 0) return null
  const there = new Set(known.map(keyOf))
  const replaced = names.filter((name) => there.has(keyOf({ name, service })))
  const added = names.filter((name) => !replaced.includes(name))
  return (
    <dl className="space-y-1 rounded-lg bg-sunken p-3 text-xs">
      {added.length > 0 && <Names term="New" names={added} />}
      {replaced.length > 0 && <Names term="Replaced" names={replaced} />}
    </dl>
  )
}

const Names = ({ term, names }: { term: string; names: string[] }) => (
  <div className="flex gap-2">
    <dt className="w-16 shrink-0 text-soft">{term}</dt>
    <dd className="min-w-0 font-mono break-words">{names.join(', ')}</dd>
  </div>
)
