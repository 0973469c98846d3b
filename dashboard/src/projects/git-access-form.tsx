import type { NewGitCredential as Given } from '@slipway/contract/git-credentials'
import type { Project } from '@slipway/contract/projects'
import { api, isRefusal } from '../api/client.ts'
import { useWrite } from '../api/use-write.ts'
import { Field } from '../ui/field.tsx'
import { FormDialog } from '../ui/forms/form-dialog.tsx'
import { TextArea } from '../ui/forms/text-area.tsx'
import { textIn } from '../ui/forms/text-in.ts'

/** An address over https is read with a token, one over ssh with a key: the address says which. */
export function GitAccessForm({ project, onClose }: { project: Project; onClose(): void }) {
  const isSsh = !project.repository?.startsWith('https:')
  const set = useWrite({
    send: (gitCredential: Given) =>
      api.projects.update({
        params: { id: project.id },
        body: { gitCredential },
        headers: { 'if-match': `"${project.version}"` },
      }),
    refresh: [['project', project.id]],
    onDone: onClose,
  })
  const at = placeOf(set.error)
  const problem = (field: string) => (at === field && isRefusal(set.error) ? set.error.body.error : null)
  return (
    <FormDialog
      title="Access to the repository"
      note="It is sealed, is sent to the host of this repository alone, and never shown again."
      verb="Save"
      busy={set.isPending}
      error={at === null ? set.error : null}
      onSend={(form) => set.mutate(isSsh ? keyIn(form) : tokenIn(form))}
      onClose={onClose}
    >
      {isSsh ? <KeyFields problem={problem} /> : <TokenFields problem={problem} />}
    </FormDialog>
  )
}

type FieldsProps = { problem(field: string): string | null }

const KeyFields = ({ problem }: FieldsProps) => (
  <>
    <TextArea
      label="Host keys"
      name="hostKeys"
      required
      autoFocus
      placeholder="git.example.com ssh-ed25519 AAAA…"
      hint="One in a line, as ssh-keyscan prints them. The host is trusted only with one of these."
      problem={problem('hostKeys')}
    />
    <TextArea
      label="Private key"
      name="privateKey"
      rows={4}
      hint="Left empty: the key that is there stays, or a pair is made."
      problem={problem('privateKey')}
    />
  </>
)

const TokenFields = ({ problem }: FieldsProps) => (
  <>
    <Field
      label="Token"
      name="token"
      type="password"
      autoComplete="off"
      required
      autoFocus
      problem={problem('token')}
    />
    <Field
      label="User name"
      name="username"
      autoComplete="off"
      hint="Where the host wants a certain one."
      problem={problem('username')}
    />
  </>
)

function tokenIn(form: FormData): Given {
  const username = textIn(form, 'username')
  return { kind: 'token', token: textIn(form, 'token') ?? '', ...(username && { username }) }
}

function keyIn(form: FormData): Given {
  const hostKeys = String(form.get('hostKeys')).split('\n')
  const privateKey = textIn(form, 'privateKey')
  return {
    kind: 'key',
    hostKeys: hostKeys.map((line) => line.trim()).filter(Boolean),
    // A key file ends with a line end, and some readers insist on it.
    ...(privateKey && { privateKey: `${privateKey}\n` }),
  }
}

const FIELDS = ['token', 'username', 'hostKeys', 'privateKey']
/** The server names places below: `gitCredential.hostKeys.0`. */
const placeOf = (error: unknown): string | null =>
  (isRefusal(error) ? error.body.field?.split('.').find((part) => FIELDS.includes(part)) : null) ?? null
