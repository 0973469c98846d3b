import type { Project } from '@slipway/contract/projects'
import { useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { ALL_DOMAINS, domainsQuery } from '../api/domains.ts'
import { problemsIn } from '../api/problem-at.ts'
import { useWrite } from '../api/use-write.ts'
import { useServiceNames } from '../service-settings/use-service-names.ts'
import { Field } from '../ui/field.tsx'
import { Choice } from '../ui/forms/choice.tsx'
import { FormDialog } from '../ui/forms/form-dialog.tsx'
import { textIn } from '../ui/forms/text-in.ts'

const FIELDS = ['host', 'service', 'port', 'targetPath', 'https', 'redirectTo'] as const
const HTTPS = [
  { value: 'redirect', label: 'Send HTTP to HTTPS' },
  { value: 'offered', label: 'Offer both' },
  { value: 'hsts', label: 'HTTPS alone, and browsers remember it for a year' },
]
type Sent = ReturnType<typeof read>

export function AddDomain({ project, onClose }: { project: Project; onClose(): void }) {
  const add = useWrite({
    send: (body: Sent, headers) => api.domains.add({ params: { id: project.id }, body, headers }),
    refresh: [domainsQuery(project.id).queryKey, ALL_DOMAINS],
    onDone: onClose,
  })
  const { at, rest } = problemsIn(add.error, FIELDS)
  return (
    <FormDialog
      title="Add a domain"
      note="A name of your own leads to a service of this project. The active release has it within moments."
      verb="Add"
      busy={add.isPending}
      error={rest}
      onSend={(form) => add.mutate(read(form))}
      onClose={onClose}
    >
      <Field
        label="Name"
        name="host"
        required
        autoFocus
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        placeholder="shop.example.com"
        hint="Its records may be set before or after."
        problem={at.host ?? null}
      />
      <Target projectId={project.id} at={at} />
    </FormDialog>
  )
}

type TargetProps = { projectId: string; at: Partial<Record<(typeof FIELDS)[number], string>> }

/** Where visitors of it come to. */
function Target({ projectId, at }: TargetProps) {
  const services = useServiceNames(projectId)
  const { data: names = [] } = useQuery(domainsQuery(projectId))
  const targets = names.filter(({ redirectTo, host }) => redirectTo === null && !host.startsWith('*.'))
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <Choice
          label="Service"
          name="service"
          choices={services.map((value) => ({ value, label: value }))}
          problem={at.service}
        />
        <Field
          label="Port"
          name="port"
          type="number"
          min={1}
          max={65535}
          placeholder="wherever it listens"
          problem={at.port ?? null}
        />
        <Field label="Only below this path" name="targetPath" placeholder="/" problem={at.targetPath ?? null} />
        <Choice label="Visitors over HTTP" name="https" choices={HTTPS} problem={at.https} />
      </div>
      {targets.length > 0 && (
        <Choice
          label="Or send visitors to another name"
          name="redirectTo"
          choices={[
            { value: '', label: 'No: it leads to the service' },
            ...targets.map(({ host }) => ({ value: host, label: host })),
          ]}
          problem={at.redirectTo}
        />
      )}
    </>
  )
}

/** What was left empty is not sent: the server has its own ideas of it. */
function read(form: FormData) {
  const port = textIn(form, 'port')
  const targetPath = textIn(form, 'targetPath')
  const redirectTo = textIn(form, 'redirectTo')
  return {
    host: textIn(form, 'host') ?? '',
    service: textIn(form, 'service') ?? 'web',
    https: String(form.get('https')) as 'redirect' | 'offered' | 'hsts',
    ...(port && { port: Number(port) }),
    ...(targetPath && { targetPath }),
    ...(redirectTo && { redirectTo }),
  }
}
