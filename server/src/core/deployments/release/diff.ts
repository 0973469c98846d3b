import { isDeepStrictEqual } from 'node:util'
import type { ServiceDiff } from '@slipway/contract/diff'
import type { ServiceSpec } from '../../../drivers/runtime/rollout/spec.ts'
import { portOf, type Release } from '../rows/release.ts'

/** Which services of a release are different in another, and in what. Values of variables and commands stay out of it. */
export function diffReleases(from: Release, to: Release): ServiceDiff[] {
  const names = new Set([...from.services, ...to.services].map(({ service }) => service))
  const specIn = ({ services }: Release, name: string) => services.find(({ service }) => service === name)
  return [...names].sort().map((name) => {
    const [before, after] = [specIn(from, name), specIn(to, name)]
    const found = {
      image: between(before?.image, after?.image),
      replicas: between(before?.replicas, after?.replicas),
      port: between(before && portOf(from, name), after && portOf(to, name)),
      variables: diffNames(before?.environment ?? {}, after?.environment ?? {}),
      settings: before && after ? diffSettings(before, after) : [],
    }
    return { name, change: changeOf(before, after, found), ...found }
  })
}

const between = <T>(from: T | undefined, to: T | undefined) =>
  from === to ? null : { from: from ?? null, to: to ?? null }

type Found = Pick<ServiceDiff, 'image' | 'replicas' | 'port' | 'variables' | 'settings'>

function changeOf(
  before: ServiceSpec | undefined,
  after: ServiceSpec | undefined,
  { image, replicas, port, variables, settings }: Found,
): ServiceDiff['change'] {
  if (!before) return 'added'
  if (!after) return 'removed'
  const isChanged = image ?? replicas ?? port ?? [...Object.values(variables).flat(), ...settings][0]
  return isChanged ? 'changed' : 'same'
}

function diffNames(before: Record<string, string>, after: Record<string, string>) {
  const [was, is] = [Object.keys(before).sort(), Object.keys(after).sort()]
  return {
    added: is.filter((name) => !(name in before)),
    removed: was.filter((name) => !(name in after)),
    changed: is.filter((name) => name in before && before[name] !== after[name]),
  }
}

/** Told by themselves, or no setting of anybody's. */
const ELSEWHERE = ['org', 'project', 'service', 'deployment', 'image', 'replicas', 'environment', 'monitorMs', 'labels']

function diffSettings(before: ServiceSpec, after: ServiceSpec): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof ServiceSpec>
  const isOther = (name: keyof ServiceSpec) => !isDeepStrictEqual(before[name], after[name])
  return [...names].filter((name) => !ELSEWHERE.includes(name) && isOther(name)).sort()
}
