import { expect, test } from 'vitest'
import type { PlainVariable } from '../../projects/variables.ts'
import type { Release } from './release.ts'
import { hashOf, mixVariables, pendingVariables, usedVariables } from './used-variables.ts'

const variable = (
  id: string | null,
  name: string,
  value: string,
  more: Partial<PlainVariable> = {},
): PlainVariable => ({
  ...{ id, name, value, service: null, scope: 'all' },
  ...more,
})
const release = (services: string[], groups: Release['variables']): Release => ({
  services: services.map((service) => ({ service }) as never),
  ...(groups && { variables: groups }),
})
const made = (services: string[], variables: PlainVariable[], own: string[] = []) =>
  release(services, [usedVariables(variables, { services, own })])
const pending = (of: Release, now: PlainVariable[]) =>
  pendingVariables(of, now as never, (id) => hashOf(now.find((one) => one.id === id)?.value ?? ''))

test('nothing is pending of what a release was made with, nor of what was set anew to the same value', () => {
  const of = made(['web'], [variable('1', 'A', 'a'), variable('2', 'B', 'b')])
  expect(pending(of, [variable('1', 'A', 'a'), variable('9', 'B', 'b')])).toEqual([])
})

test('a new one, another value, another scope and one that is gone are told, by name', () => {
  const of = made(['web'], [variable('1', 'A', 'a'), variable('2', 'B', 'b'), variable('3', 'C', 'c')])
  const now = [variable('4', 'A', 'other'), variable('5', 'B', 'b', { scope: 'build' }), variable('6', 'D', 'd')]
  expect(pending(of, now)).toEqual([
    { name: 'A', service: null, scope: 'all', change: 'changed' },
    { name: 'B', service: null, scope: 'build', change: 'changed' },
    { name: 'C', service: null, scope: 'all', change: 'removed' },
    { name: 'D', service: null, scope: 'all', change: 'added' },
  ])
})

test('what reaches no service of the release is not pending, nor what the deployment brought for itself', () => {
  const own = variable(null, 'A', 'mine', { service: 'web' })
  const of = made(['web'], [own], ['web'])
  const now = [variable('1', 'A', 'a', { service: 'web' }), variable('2', 'B', 'b', { service: 'nowhere' })]
  expect(pending(of, now)).toEqual([])
})

test('of a mix each service is held against what it was made with', () => {
  const of = (value: string) => made(['web', 'worker'], [variable(value, 'A', value, { service: 'worker' })])
  const mixed = (came: string) => ({
    ...release(
      ['web', 'worker'],
      mixVariables(of('new'), of('old'), (service) => service === came),
    ),
  })
  const now = [variable('new', 'A', 'new', { service: 'worker' })]
  expect(pending(mixed('web'), now)).toMatchObject([{ name: 'A', service: 'worker', change: 'changed' }])
  expect(pending(mixed('worker'), now)).toEqual([])
})

test('of a release that does not say it, nothing is said', () => {
  expect(pending(release(['web'], undefined), [variable('1', 'A', 'a')])).toBeNull()
  const half = release(['web', 'worker'], [usedVariables([], { services: ['web'], own: [] })])
  expect(pending(half, [])).toBeNull()
})
