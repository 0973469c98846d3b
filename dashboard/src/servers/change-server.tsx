import type { Server } from '@slipway/contract/servers'
import { useState } from 'react'
import { api, isRefusal } from '../api/client.ts'
import { problemsIn } from '../api/problem-at.ts'
import { useMay } from '../api/use-may.ts'
import { useWrite } from '../api/use-write.ts'
import { Field } from '../ui/field.tsx'
import { changed } from '../ui/forms/changed.ts'
import { FormDialog } from '../ui/forms/form-dialog.tsx'
import { Moved } from '../ui/forms/moved.tsx'
import { textIn } from '../ui/forms/text-in.ts'
import { GatedButton } from '../ui/gated-button.tsx'

const FIELDS = ['name', 'host', 'port', 'user'] as const
const LABELS = { name: 'the name', host: 'the host', port: 'the port', user: 'the user' }
type Sent = { name?: string; host?: string; port?: number; user?: string }

export function ChangeServer({ server }: { server: Server }) {
  const [isOpen, setOpen] = useState(false)
  const may = useMay()
  return (
    <>
      <GatedButton reason={may('server:write')} onClick={() => setOpen(true)}>
        Change
      </GatedButton>
      {isOpen && <ChangeDialog server={server} onClose={() => setOpen(false)} />}
    </>
  )
}

/** `server`: as it is stored now. What is typed is never overwritten by a later look at it, and what is left alone is not sent. */
function ChangeDialog({ server: stored, onClose }: { server: Server; onClose(): void }) {
  const [server] = useState(stored)
  const { id, name, kind } = server
  const save = useWrite({
    send: (said: Sent, headers) =>
      api.servers.update({
        params: { id },
        body: changed(server, said),
        headers: { ...headers, 'if-match': `"${stored.version}"` },
      }),
    refresh: [['servers']],
    onDone: onClose,
  })
  const isStale = isRefusal(save.error) && save.error.body.code === 'stale'
  const { at, rest } = problemsIn(save.error, FIELDS)
  return (
    <FormDialog
      title={`Change ${name}`}
      note={
        kind === 'ssh'
          ? 'Another host or port is another machine: its host key is forgotten, and the next check asks for it anew. What runs there goes on.'
          : undefined
      }
      verb="Save"
      busy={save.isPending}
      error={rest}
      onSend={(form) => save.mutate(read(form))}
      onClose={onClose}
    >
      {isStale && <Moved opened={server} stored={stored} labels={LABELS} />}
      <Field label="Name" name="name" required maxLength={80} defaultValue={name} problem={at.name ?? null} />
      {kind === 'ssh' && <Reach server={server} at={at} />}
    </FormDialog>
  )
}

type ReachProps = { server: Server; at: Partial<Record<(typeof FIELDS)[number], string>> }

function Reach({ server: { host, port, user }, at }: ReachProps) {
  return (
    <>
      <Field
        label="Host"
        name="host"
        required
        defaultValue={host ?? ''}
        hint="A name or an address."
        problem={at.host ?? null}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="User" name="user" required defaultValue={user ?? ''} problem={at.user ?? null} />
        <Field
          label="Port"
          name="port"
          type="number"
          required
          min={1}
          max={65535}
          defaultValue={port ?? ''}
          problem={at.port ?? null}
        />
      </div>
    </>
  )
}

/** A field that is not there is not said. */
function read(form: FormData): Sent {
  const [name, host, port, user] = FIELDS.map((field) => textIn(form, field))
  return { ...(name && { name }), ...(host && { host }), ...(port && { port: Number(port) }), ...(user && { user }) }
}
