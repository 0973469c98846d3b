import { api } from '../api/client.ts'
import { servicesQuery, variablesQuery } from '../api/projects.ts'
import { useWrite } from '../api/use-write.ts'
import { Confirm } from '../ui/confirm.tsx'

type Props = { projectId: string; name: string; onClose(): void }

export function RemoveService({ projectId, name, onClose }: Props) {
  const remove = useWrite({
    send: () => api.services.remove({ params: { id: projectId, name } }),
    refresh: [servicesQuery(projectId).queryKey, variablesQuery(projectId).queryKey],
    onDone: onClose,
  })
  return (
    <Confirm
      open
      title={`Remove the settings of ${name}?`}
      consequences={[
        `What is said of ${name} here is gone, with the variables that are its alone.`,
        'What runs stays until the next deployment, which is made without them.',
        'Its volumes stay.',
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
