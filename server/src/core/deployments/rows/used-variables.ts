import { hash } from 'node:crypto'
import type { PendingVariable } from '@slipway/contract/pending'
import type { PlainVariable } from '../../projects/variables.ts'
import type { Release, UsedVariable, UsedVariables } from './release.ts'

type Frozen = { services: string[]; own: string[] }

export const usedVariables = (variables: PlainVariable[], { services, own }: Frozen): UsedVariables => ({
  services,
  ...(own.length > 0 && { own }),
  used: variables.flatMap(({ id, name, service, scope, value }) =>
    id === null ? [] : [{ id, name, service, scope, hash: hashOf(value) }],
  ),
})

export const hashOf = (value: string) => hash('sha256', value, 'base64url')

/** Of some services what another release was made with, of the others what this one was. */
export function mixVariables(wanted: Release, before: Release, came: (service: string) => boolean): UsedVariables[] {
  const only = ({ variables = [] }: Release, isOf: (service: string) => boolean) =>
    variables
      .map((group) => ({ ...group, services: group.services.filter(isOf) }))
      .filter(({ services }) => services.length > 0)
  return [...only(wanted, came), ...only(before, (service) => !came(service))]
}

type Now = Pick<UsedVariable, 'id' | 'name' | 'service' | 'scope'>

/**
 * What the project says and what serves was not made with, by name. `hashNow`: of a variable that was set anew, perhaps to the same
 * value. None where it is not known what the release was made with.
 */
export function pendingVariables(
  { services, variables }: Release,
  now: Now[],
  hashNow: (id: string) => string,
): PendingVariable[] | null {
  const running = new Set(services.map(({ service }) => service))
  const groups = (variables ?? []).filter((group) => group.services.some((service) => running.has(service)))
  const isTold = (service: string) => groups.some((group) => group.services.includes(service))
  if (![...running].every(isTold)) return null
  const found = groups.flatMap((group) => pendingIn(group, now, hashNow))
  const each = new Map(found.map((one) => [keyOf(one), one]))
  return [...each.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

const keyOf = ({ service, name }: Pick<Now, 'service' | 'name'>) => `${service ?? ''}/${name}`

function pendingIn(group: UsedVariables, now: Now[], hashNow: (id: string) => string): PendingVariable[] {
  const reaches = ({ service }: Pick<Now, 'service'>) =>
    service === null || (group.services.includes(service) && !group.own?.includes(service))
  const were = new Map(group.used.filter(reaches).map((one) => [keyOf(one), one]))
  const are = new Map(now.filter(reaches).map((one) => [keyOf(one), one]))
  const isSame = (is: Now, was: UsedVariable) =>
    is.id === was.id || (is.scope === was.scope && hashNow(is.id) === was.hash)
  const told = ({ name, service, scope }: Now, change: PendingVariable['change']) => ({ name, service, scope, change })
  const set = [...are].flatMap(([key, one]) => {
    const was = were.get(key)
    if (!was) return [told(one, 'added')]
    return isSame(one, was) ? [] : [told(one, 'changed')]
  })
  const removed = [...were].filter(([key]) => !are.has(key)).map(([, one]) => told(one, 'removed'))
  return [...set, ...removed]
}
