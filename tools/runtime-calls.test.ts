import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { foreignRuntimeCalls, goneRuntimeCalls, unlistedMethods } from './runtime-calls.ts'

const planted = 'server/src/core/deployments/verbs/planted.ts'

test.each([
  ['apply', 'await parts.runtime.apply(engine, spec, { signal })'],
  ['removeEnded', 'await parts.runtime\n    .removeEnded(engine, project, { signal })'],
  ['volumes.remove', 'const { volumes } = parts.runtime\nawait volumes.remove(engine, project, name, { signal })'],
  ['withdraw', 'const { snapshot, withdraw } = place.runtime'],
  ['images.pull', 'await runtime.images.pull(engine, image, { signal })'],
  ['ensureNetwork', 'await parts.runtime.ensureNetwork(engine, name, { signal })'],
])('a file of core that calls %s of the runtime on its own fails', (call, text) => {
  expect(foreignRuntimeCalls(planted, text)).toEqual([
    expect.stringContaining(`${planted} calls ${call} of the runtime`),
  ])
})

test('a file that only looks may, and so may what is on the list with its reason', () => {
  expect(foreignRuntimeCalls(planted, 'await parts.runtime.snapshot(engine, project, { signal })')).toEqual([])
  const ground = 'server/src/core/deployments/converge/ground.ts'
  expect(foreignRuntimeCalls(ground, 'await parts.runtime.ensureNetwork(engine, name, { signal })')).toEqual([])
  expect(foreignRuntimeCalls(ground, 'await parts.runtime.apply(engine, spec, { signal })')).toHaveLength(1)
})

test('a call on the list that is made no more fails', () => {
  expect(goneRuntimeCalls(() => '')).toContainEqual(expect.stringContaining('converge/execute.ts call apply'))
})

test('each method of the runtime is on a list: what changes an engine, and what only looks', () => {
  const source = readFileSync('server/src/drivers/runtime/runtime.ts', 'utf8')
  expect(unlistedMethods(source)).toEqual([])
  expect(unlistedMethods(source.replace('  specHash(', '  planted('))).toEqual(['planted', 'specHash'])
})
