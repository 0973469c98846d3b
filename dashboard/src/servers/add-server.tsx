import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { problemsIn } from '../api/problem-at.ts'
import { useWrite } from '../api/use-write.ts'
import { Field } from '../ui/field.tsx'
import { FormDialog } from '../ui/forms/form-dialog.tsx'
import { textIn } from '../ui/forms/text-in.ts'
import { readHostKey, SHOW_KEY } from './host-key.ts'

const FIELDS = ['name', 'host', 'port', 'user', 'hostKey'] as const
type Said = { name: string; host: string; port?: number; user?: string; hostKey?: string }

/** A server over SSH. Nothing is opened there yet: its page says which key it needs, and looks at it. */
export function AddServer({ onClose }: { onClose(): void }) {
  const navigate = useNavigate()
  const [isNoKey, setNoKey] = useState(false)
  const add = useWrite({
    send: (said: Said, headers) => api.servers.create({ body: { kind: 'ssh', ...said }, headers }),
    refresh: [['servers']],
    onDone: ({ id }) => void navigate({ to: '/servers/$id', params: { id } }),
  })
  const { at, rest } = problemsIn(add.error, FIELDS)
  const send = (form: FormData) => {
    const [name = '', host = '', port, user, typed] = FIELDS.map((field) => textIn(form, field))
    const hostKey = typed === undefined ? undefined : readHostKey(typed)
    setNoKey(hostKey === null)
    if (hostKey === null) return
    add.mutate({ name, host, ...(port && { port: Number(port) }), ...(user && { user }), ...(hostKey && { hostKey }) })
  }
  return (
    <FormDialog
      title="Add a server over SSH"
      note="Slipway makes a key of its own for it. Its page then says where to put it, and looks at the server."
      verb="Add"
      busy={add.isPending}
      error={rest}
      onSend={send}
      onClose={onClose}
    >
      <Field label="Name" name="name" required maxLength={80} autoFocus placeholder="fra-1" problem={at.name ?? null} />
      <Field
        label="Host"
        name="host"
        required
        placeholder="192.0.2.10"
        hint="A name or an address."
        problem={at.host ?? null}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="User" name="user" placeholder="root" hint="One that may use Docker." problem={at.user ?? null} />
        <Field label="Port" name="port" type="number" min={1} max={65535} placeholder="22" problem={at.port ?? null} />
      </div>
      <Field
        label="Host key, if you have it at hand"
        name="hostKey"
        autoComplete="off"
        spellCheck={false}
        placeholder="256 SHA256:… (ED25519)"
        hint={`What ${SHOW_KEY} prints there. Then no other key is ever taken; it can also be compared on the next page.`}
        problem={isNoKey ? 'That is no fingerprint as ssh-keygen -l prints it.' : (at.hostKey ?? null)}
      />
    </FormDialog>
  )
}
