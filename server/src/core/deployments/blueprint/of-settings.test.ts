import { expect, test } from 'vitest'
import { ofSettings } from './of-settings.ts'

const names = (settings: Parameters<typeof ofSettings>[0]) => ofSettings(settings).services.map(({ name }) => name)

test('a project that names no service is one, called web', () => {
  expect(ofSettings([])).toMatchObject({ services: [{ name: 'web' }], main: 'web' })
})

test('services come after those they depend on, by name where nothing else decides', () => {
  const settings = [
    { name: 'web', config: { dependsOn: ['api'] } },
    { name: 'api', config: { dependsOn: ['db'] } },
    { name: 'db', config: {} },
    { name: 'cache', config: {} },
  ]
  expect(names(settings)).toEqual(['cache', 'db', 'api', 'web'])
})

test('services that wait for each other, or for none that there is, are refused', () => {
  const circle = [
    { name: 'a', config: { dependsOn: ['b'] } },
    { name: 'b', config: { dependsOn: ['a'] } },
  ]
  expect(() => ofSettings(circle)).toThrow('wait for each other')
  expect(() => ofSettings([{ name: 'a', config: { dependsOn: ['gone'] } }])).toThrow('gone')
})

test('names lead to the exposed one, to web, or to the first', () => {
  const main = (settings: Parameters<typeof ofSettings>[0]) => ofSettings(settings).main
  expect(
    main([
      { name: 'api', config: { exposed: true } },
      { name: 'web', config: {} },
    ]),
  ).toBe('api')
  expect(
    main([
      { name: 'api', config: {} },
      { name: 'web', config: {} },
    ]),
  ).toBe('web')
  expect(
    main([
      { name: 'api', config: { exposed: false } },
      { name: 'site', config: {} },
    ]),
  ).toBe('site')
})
