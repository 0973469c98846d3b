import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api } from '../api/client.ts'
import { problemsIn } from '../api/problem-at.ts'
import { useMay } from '../api/use-may.ts'
import { useWrite } from '../api/use-write.ts'
import { Field } from '../ui/field.tsx'
import { GatedButton } from '../ui/gated-button.tsx'
import { counted } from '../ui/in-words.ts'
import { Card } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { Caution } from '../ui/tag.tsx'

type Props = { serverId: string; chosen: string[]; usualName: string }
type Adopted = Awaited<ReturnType<typeof api.migration.adopt>>

/** A record of what was chosen. Nothing is deployed by it, and what runs goes on as it is. */
export function AdoptForm({ serverId, chosen, usualName }: Props) {
  const [typed, setTyped] = useState<string | null>(null)
  const may = useMay()
  const name = typed ?? usualName
  const adopt = useWrite<{ projectName: string; serviceNames: string[] }, Adopted>({
    send: (said, headers) => api.migration.adopt({ body: { serverId, ...said }, headers }),
    refresh: [['projects'], ['overview']],
  })
  const { at, rest } = problemsIn(adopt.error, ['projectName'])
  if (adopt.data) return <Done adopted={adopt.data} />
  const submit = (event: FormEvent) => {
    event.preventDefault()
    adopt.mutate({ projectName: name.trim(), serviceNames: chosen })
  }
  return (
    <Card className="mt-6">
      <form onSubmit={submit} className="space-y-4 p-4">
        <Field
          label="Name of the project"
          required
          maxLength={80}
          value={name}
          problem={at.projectName ?? null}
          hint={`${counted(chosen.length, 'service')} chosen. Services that belong together go into one project: those left out are not found by the others.`}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <Refused error={rest} />
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <GatedButton type="submit" look="primary" reason={may('server:write')} busy={adopt.isPending}>
            Create the project
          </GatedButton>
          <p className="min-w-0 flex-1 basis-60 text-xs text-faint text-pretty">
            A record only: nothing on the server is changed. Stopping the originals and deploying are steps of their
            own.
          </p>
        </div>
      </form>
    </Card>
  )
}

function Done({ adopted: { project, reusedVolumes, warnings } }: { adopted: Adopted }) {
  return (
    <section
      aria-label="Recorded"
      className="mt-6 space-y-3 rounded-xl border border-ok-mark/50 bg-surface p-4 shadow-card"
    >
      <p role="status" className="font-semibold">
        {counted(project.services.length, 'service')} recorded as {project.name}
        {reusedVolumes.length > 0 && `, with ${counted(reusedVolumes.length, 'volume')}`}. Nothing on the server has
        been changed.
      </p>
      {warnings.map(({ service, message }) => (
        <Caution key={`${service} ${message}`}>{service === null ? message : `${service}: ${message}`}</Caution>
      ))}
      <p className="text-soft text-pretty">
        Next: stop the originals there, because two programs that write to one volume destroy it, and keep them until
        the project runs. A deployment is refused while they run, and its message says what to type.
      </p>
      <Link
        to="/projects/$id"
        params={{ id: project.id }}
        className="inline-flex h-8 items-center rounded-md border border-line bg-surface px-3 font-medium shadow-card hover:bg-hover pointer-coarse:h-11"
      >
        To the project
      </Link>
    </section>
  )
}
