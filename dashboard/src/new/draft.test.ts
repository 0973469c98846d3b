import type { Preparation } from '@slipway/contract/prepare'
import { expect, test } from 'vitest'
import { rowsOf, servicesOf, setVariables, withVariables } from './draft.ts'
import { labelOf, type Source, toPrepare, usualName } from './source.ts'

const folder = (said: object = {}): Source => ({
  kind: 'folder',
  uploadSessionId: 'upl_1',
  sent: 0,
  sentBytes: 0,
  folder: { name: 'Shop', files: [], bytes: 0, leftOut: [], unsendable: [], variables: [], said },
})
const plan = (more: Partial<Preparation>) =>
  ({ strategy: 'server', installCommand: 'npm ci', port: 3000, ...more }) as Preparation

test('what nobody has changed is not sent: the server goes by what it finds', () => {
  expect(servicesOf(plan({}), folder(), {})).toBeUndefined()
  expect(servicesOf(plan({}), folder(), { installCommand: 'npm ci', port: ' ' })).toBeUndefined()
})

test('what somebody has changed is a setting of the one service, and nothing beside it', () => {
  expect(servicesOf(plan({}), folder(), { installCommand: 'npm ci', port: '8080' })).toEqual([
    { name: 'web', port: 8080 },
  ])
  expect(servicesOf(null, { kind: 'image', image: 'nginx' }, { port: '80' })).toEqual([{ name: 'web', port: 80 }])
})

test('services of slipway.json are sent as they are, and are changed there', () => {
  const source = folder({ services: [{ name: 'api' }] })
  expect(rowsOf(plan({}), source)).toEqual([])
  expect(servicesOf(plan({}), source, { port: '1' })).toEqual([{ name: 'api' }])
})

test('of what has several services no row is shown that would change one of them', () => {
  expect(rowsOf(plan({ strategy: 'compose' }), folder())).toEqual([])
  expect(rowsOf(plan({ strategy: 'monorepo' }), folder())).toEqual([])
})

test('a name that was found is no variable before it has a value, and a paste keeps what was filled in', () => {
  const found = [{ name: 'A', value: '' }]
  const pasted = withVariables(
    [...found, { name: 'B', value: 'mine' }],
    [
      { name: 'A', value: '1' },
      { name: 'B', value: '' },
      { name: 'C', value: '' },
    ],
  )
  expect(setVariables(pasted)).toEqual([
    { name: 'A', value: '1' },
    { name: 'B', value: 'mine' },
  ])
})

test('a project is called after its source, and its address after its name', () => {
  expect(usualName(folder())).toBe('Shop')
  expect(usualName(folder({ project: 'wares' }))).toBe('wares')
  expect(usualName({ kind: 'image', image: 'registry.example.com:5000/team/app:2@sha256:00' })).toBe('app')
  expect(usualName({ kind: 'image', image: 'nginx:1.29' })).toBe('nginx')
  expect(['Mein Lädchen!', '--a--', 'Shop'].map(labelOf)).toEqual(['mein-la-dchen', 'a', 'shop'])
  expect(toPrepare({ kind: 'image', image: 'nginx' })).toBeNull()
})
