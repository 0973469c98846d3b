import type { EngineTarget } from '../../drivers/engine/engine.ts'
import { mayConnect } from '../networks/may-connect.ts'
import type { BaseParts } from '../parts.ts'
import { placeOfKey, placeOfPassphrase } from './keys.ts'
import { enginePolicy, policyOf } from './policy.ts'
import { type ServerRow, socketOf } from './store.ts'

/** How a server's engine is reached, with its secrets opened. */
export function openEngineTarget(
  { keys, config }: Pick<BaseParts, 'keys' | 'config'>,
  server: ServerRow,
): EngineTarget {
  const policy = enginePolicy(policyOf(config, server.policy))
  const socketPath = socketOf(config, server) ?? ''
  if (server.kind === 'local') return { kind: 'local', socketPath, policy }
  const passphrase = server.passphrase && keys.open(server.passphrase, placeOfPassphrase(server.id))
  return {
    kind: 'ssh',
    socketPath,
    policy,
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
