import type { Server } from '@slipway/contract/servers'
import { api } from '../api/client.ts'
import { useWrite } from '../api/use-write.ts'

/** Says which host key the server has; only where nobody has changed the server meanwhile. */
export const usePinKey = ({ id, version }: Server, onDone: () => void = () => {}) =>
  useWrite({
    send: (hostKey: string) =>
      api.servers.update({ params: { id }, body: { hostKey }, headers: { 'if-match': `"${version}"` } }),
    refresh: [['servers']],
    onDone,
  })
