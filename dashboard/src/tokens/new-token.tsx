import type { Scope } from '@slipway/contract/permissions'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../api/client.ts'
import { serverNow } from '../api/clock.ts'
import { tokensQuery } from '../api/platform.ts'
import { problemsIn } from '../api/problem-at.ts'
import { meQuery, projectsQuery } from '../api/queries.ts'
import { useWrite } from '../api/use-write.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Choice } from '../ui/forms/choice.tsx'
import { Card } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { ScopeMatrix } from './scope-matrix.tsx'
import { PRESETS, type PresetName, scopesOf } from './scopes.ts'

const DAY_MS = 86_400_000
const LIVES = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'A year' },
  { value: '', label: 'It does not expire' },
]

export type MadeToken = { name: string; secret: string }
type Props = { onDone(made: MadeToken): void; onClose(): void }

/** Cells that its maker has, ticked one by one or by what it is for. */
export function NewToken({ onDone, onClose }: Props) {
  const { data: me } = useQuery(meQuery)
  const held = me?.permissions ?? []
  const [preset, setPreset] = useState<PresetName>('deploy')
  const [own, setOwn] = useState<Scope[]>([])
  const chosen = preset === 'own' ? own : scopesOf(preset, held)
  const { create, submit } = useMake(preset === 'all' ? null : chosen, onDone)
  const { at, rest } = problemsIn(create.error, ['name', 'scopes', 'projectId', 'expiresAt'])
  const choose = (scopes: Scope[]) => {
    setOwn(scopes)
    setPreset('own')
  }
  const isEmpty = preset !== 'all' && chosen.length === 0
  return (
    <Card className="mb-5">
      <form aria-label="A new token" onSubmit={submit} className="space-y-5 p-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <Field
            label="Name"
            name="name"
            required
            maxLength={80}
            autoFocus
            autoComplete="off"
            problem={at.name ?? null}
          />
          <Choice label="Good for" name="days" defaultValue="90" choices={LIVES} problem={at.expiresAt} />
          <Choice
            label="It may"
            value={preset}
            onChange={(event) => {
              setOwn(chosen)
              setPreset(event.currentTarget.value as PresetName)
            }}
            choices={PRESETS.map(({ name, label }) => ({ value: name, label }))}
          />
          <Projects problem={at.projectId} />
        </div>
        {preset === 'all' ? (
          <p className="text-soft text-pretty">All that you may, and what you may later. It loses what you lose.</p>
        ) : (
          <ScopeMatrix held={held} chosen={chosen} onChoose={choose} />
        )}
        {at.scopes && <p className="text-xs text-bad">{at.scopes}</p>}
        <Refused error={rest} />
        <div className="flex flex-wrap items-center gap-2">
          <Button type="submit" look="primary" busy={create.isPending} disabled={isEmpty}>
            Make the token
          </Button>
          <Button onClick={onClose}>Leave it</Button>
          {isEmpty && <p className="text-xs text-faint">Tick what it may do.</p>}
        </div>
      </form>
    </Card>
  )
}

function Projects({ problem }: { problem: string | undefined }) {
  const { data: projects = [] } = useQuery(projectsQuery)
  return (
    <Choice
      label="Where"
      name="projectId"
      choices={[
        { value: '', label: 'In the whole organization' },
        ...projects.map(({ id, name }) => ({ value: id, label: `Only in ${name}` })),
      ]}
      problem={problem}
    />
  )
}

type Sent = { name: string; scopes: Scope[] | null; projectId: string | null; expiresAt: string | null }

function useMake(scopes: Scope[] | null, onDone: (made: MadeToken) => void) {
  const create = useWrite({
    send: (body: Sent, headers) => api.tokens.create({ body, headers }),
    refresh: [tokensQuery.queryKey],
    onDone: ({ token, secret }) => onDone({ name: token.name, secret }),
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const days = Number(form.get('days'))
    // A minute is no matter to days, and saying the same again has to be the same act.
    const from = Math.floor(serverNow() / 60_000) * 60_000
    create.mutate({
      name: String(form.get('name')).trim(),
      scopes,
      projectId: String(form.get('projectId')) || null,
      expiresAt: days > 0 ? new Date(from + days * DAY_MS).toISOString() : null,
    })
  }
  return { create, submit }
}
