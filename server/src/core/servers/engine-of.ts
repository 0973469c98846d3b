import type { EngineTarget } from '../../drivers/runtime/engine.ts'
import { mayConnect } from '../domains/may-connect.ts'
import type { Platform } from '../platform.ts'
import { placeOfKey, placeOfPassphrase } from './keys.ts'
import type { ServerRow } from './store.ts'

/** How a server's engine is reached, with its secrets opened. */
export function engineOf({ keys, config }: Pick<Platform, 'keys' | 'config'>, server: ServerRow): EngineTarget {
  const socketPath = server.socketPath ?? ''
  if (server.kind === 'local') return { kind: 'local', socketPath }
  const passphrase = server.passphrase && keys.open(server.passphrase, placeOfPassphrase(server.id))
  return {
    kind: 'ssh',
    socketPath,
    ssh: {
      host: server.host ?? '',
      port: server.port ?? 22,
      user: server.loginUser ?? '',
      privateKey: keys.open(server.privateKey ?? '', placeOfKey(server.id)),
      ...(passphrase && { passphrase }),
      hostKey: server.hostKey,
      mayConnect: mayConnect(config),
    },
  }
}
