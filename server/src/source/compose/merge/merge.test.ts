import { describe, expect, it } from 'vitest'
import type { Value } from '../values.ts'
import { clear, merge } from './merge.ts'
import { unique } from './unique.ts'

const place = { file: 'compose.override.yaml', path: [] }
const over = (base: Value, more: Value) => merge({ services: { a: base } }, { services: { a: more } }, place)
const a = (service: Value) => ({ services: { a: service } })

describe('a later file', () => {
  it('adds to mappings and lists, and replaces the rest', () => {
    const merged = over(
      { image: 'x', cap_add: ['A'], deploy: { replicas: 1 } },
      { image: 'y', cap_add: ['B'], deploy: { mode: 'global' } },
    )
    expect(merged).toEqual(a({ image: 'y', cap_add: ['A', 'B'], deploy: { replicas: 1, mode: 'global' } }))
  })

  it('replaces commands and health tests whole', () => {
    const base = { command: ['a', 'b'], entrypoint: ['c'], healthcheck: { test: ['CMD', 'a'], interval: '1s' } }
    const merged = over(base, { command: null, entrypoint: 'd', healthcheck: { test: 'b' } })
    expect(merged).toEqual(a({ command: null, entrypoint: 'd', healthcheck: { test: 'b', interval: '1s' } }))
  })

  it('merges variables whichever way they are written', () => {
    expect(over({ environment: ['A=1', 'B=2'] }, { environment: { B: 3, C: null } })).toEqual(
      a({ environment: { A: '1', B: 3, C: null } }),
    )
  })

  it('says nothing with a key that is left empty', () => {
    expect(over({ image: 'x', deploy: { replicas: 1 } }, { image: null, deploy: null })).toEqual(
      a({ image: 'x', deploy: { replicas: 1 } }),
    )
  })

  it('keeps options of a logger only for the same driver', () => {
    const base = { logging: { driver: 'a', options: { x: 1 } } }
    expect(over(base, { logging: { driver: 'b', options: { y: 1 } } })).toEqual(
      a({ logging: { driver: 'b', options: { y: 1 } } }),
    )
  })

  it('replaces extensions, but not services whose names look like them', () => {
    expect(over({ 'x-a': { b: 1 } }, { 'x-a': { c: 1 } })).toEqual(a({ 'x-a': { c: 1 } }))
    expect(merge({ services: { 'x-a': { image: 'x' } } }, { services: { 'x-a': { user: 'y' } } }, place)).toEqual({
      services: { 'x-a': { image: 'x', user: 'y' } },
    })
  })

  it('refuses to add a thing of one kind to a thing of another', () => {
    expect(() => over({ cap_add: ['A'] }, { cap_add: 'B' })).toThrow(/compose\.override\.yaml: services\.a\.cap_add/)
  })

  it('sees no keys that every object has', () => {
    expect(merge({}, { constructor: { image: 'x' } }, place)).toEqual({ constructor: { image: 'x' } })
  })
})

it('a reset takes away what was there, and nothing else', () => {
  const model = { services: { a: { image: 'x', ports: ['80:80'] }, b: { image: 'y' } } }
  expect(
    clear(model, [
      ['services', 'a', 'ports'],
      ['services', 'b'],
      ['services', 'gone', 'x'],
    ]),
  ).toEqual(a({ image: 'x' }))
})

it('of entries that mean the same the last counts, in the place of the first', () => {
  const volumes = [{ target: '/a', source: 'one' }, { target: '/b' }, { target: '/a', source: 'two' }]
  expect(unique(a({ volumes, cap_add: ['A', 'B', 'A'] }), place)).toEqual(
    a({ volumes: [{ target: '/a', source: 'two' }, { target: '/b' }], cap_add: ['A', 'B'] }),
  )
})
