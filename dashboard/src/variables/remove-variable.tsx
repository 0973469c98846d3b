import { api } from '../api/client.ts'
import { variablesQuery } from '../api/projects.ts'
import { useWrite } from '../api/use-write.ts'
import { Confirm } from '../ui/confirm.tsx'
import type { Variable } from './variable.ts'

type Props = { projectId: string; variable: Variable; onClose(): void }

export function RemoveVariable({ projectId, variable: { name, service }, onClose }: Props) {
  const remove = useWrite({
    send: () => api.variables.remove({ params: { id: projectId, name }, query: service === null ? {} : { service } }),
    refresh: [
      variablesQuery(projectId).queryKey,
      ['project', projectId, 'services'],
      ['project', projectId, 'pending'],
    ],
    onDone: onClose,
  })
  return (
    <Confirm
      open
      title={`Remove ${name}?`}
      consequences={[
        `Its value for ${service ?? 'every service'} is gone: nobody can look it up afterwards.`,
        'What runs keeps it until the next deployment.',
      ]}
      verb="Remove"
      danger
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    />
  )
}
