import type { SaidServerPolicy, ServerPolicy } from '@slipway/contract/servers'
import type { Config } from '../../config.ts'
import type { EnginePolicy } from '../../drivers/engine/policy.ts'

/** On a machine of one's own most is allowed; where strangers deploy, nothing that reaches beyond their containers is. */
export function policyOf({ mode }: Pick<Config, 'mode'>, said: SaidServerPolicy): ServerPolicy {
  const open = mode === 'self_hosted'
  return {
    hostPorts: said.hostPorts ?? open,
    localImages: said.localImages ?? open,
    remoteAdd: said.remoteAdd ?? open,
    maxMemoryMb: said.maxMemoryMb ?? null,
    maxCpus: said.maxCpus ?? null,
    maxPids: said.maxPids ?? null,
  }
}

const MIB = 1024 ** 2

/** As the runtime holds every spec against it. */
export function enginePolicy({ hostPorts, maxMemoryMb, maxCpus, maxPids }: ServerPolicy): EnginePolicy {
  return {
    hostPorts,
    ceilings: {
      ...(maxMemoryMb !== null && { memoryBytes: maxMemoryMb * MIB }),
      ...(maxCpus !== null && { cpus: maxCpus }),
      ...(maxPids !== null && { pids: maxPids }),
    },
  }
}
