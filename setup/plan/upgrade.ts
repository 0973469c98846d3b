import type { Facts } from '../look/look.ts'
import { PATHS } from '../paths.ts'
import { type Step, step } from './step.ts'

/** The new one is up before the old one ends: both take from the same sockets meanwhile. */
export function planUpgrade(facts: Facts, version: string): Step[] {
  const { version: from, running, versions } = facts.installed
  if (from === null || (from === version && running.join() === version)) return []
  const file = `${PATHS.backups}/before-${version}.slipway`
  return [
    ...(from === version ? [] : [step('back everything up, in case of a way back', { do: 'backup', file, keep: 3 })]),
    ...(versions.includes(version) ? [] : [step(`put ${version} to ${PATHS.versions}`, { do: 'files', version })]),
    step('tell systemd of its units', { do: 'units' }),
    ...planReplacement(facts, version),
    step('remove versions that nobody goes back to', { do: 'forget-versions', keep: [version, from, ...running] }),
  ]
}

/** As an upgrade to a version that is still here. Whether it can read the database it says itself, at its start. */
export const planDowngrade = (facts: Facts, version: string): Step[] => planReplacement(facts, version)

function planReplacement({ installed }: Facts, version: string): Step[] {
  const { version: from, running } = installed
  const [up, last] = [running.includes(version), from === version]
  return [
    ...(up ? [] : [step(`start ${version} beside ${from}`, { do: 'start', version, beside: from })]),
    ...(last ? [] : [step(`make ${version} the one that starts with the machine`, { do: 'switch', version, from })]),
    ...running
      .filter((one) => one !== version)
      .map((old) => step(`end ${old}, which hands over what it works on`, { do: 'stop', version: old })),
  ]
}
