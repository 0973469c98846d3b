import { rmSync } from 'node:fs'
import { endGroup } from './group.ts'
import { endMachine } from './machine.ts'
import { removeNetwork } from './network.ts'
import { hostNames } from './parts/hosts.ts'
import { stateDir } from './paths.ts'

/** Stops everything this lab started and leaves the machine as it was; only the cache stays. */
export async function down(): Promise<void> {
  const begin = performance.now()
  const machines = ['engine', 'sftp', ...hostNames]
  await Promise.all([...machines.map(endMachine), ...['postgres', 'registry', 's3', 'githost'].map(endGroup)])
  await removeNetwork()
  rmSync(stateDir, { recursive: true, force: true })
  process.stderr.write(`down in ${((performance.now() - begin) / 1000).toFixed(1)} s\n`)
}
