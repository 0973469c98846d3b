import type { Domain } from '@slipway/contract/domains'
import { api } from '../api/client.ts'
import { ALL_DOMAINS, domainsQuery } from '../api/domains.ts'
import { useWrite } from '../api/use-write.ts'
import { Confirm } from '../ui/confirm.tsx'

type Props = { projectId: string; domain: Domain; onClose(): void }

export function RenewDialog({ projectId, domain: { host }, onClose }: Props) {
  const renew = useWrite({
    send: (_: undefined, headers) => api.deployments.sslRenew({ body: { domain: host }, headers }),
    refresh: [domainsQuery(projectId).queryKey, ALL_DOMAINS],
    onDone: onClose,
  })
  return (
    <Confirm
      open
      title={`Get a new certificate for ${host}?`}
      consequences={[
        'The CA is asked now, which may take a minute. Its answer is shown here.',
        'The certificate that is there stays until the new one is.',
        'A CA gives only so many in a week: do not do it for no reason.',
      ]}
      verb="Ask the CA"
      busy={renew.isPending}
      error={renew.error}
      onConfirm={() => renew.mutate(undefined)}
      onClose={onClose}
    />
  )
}
