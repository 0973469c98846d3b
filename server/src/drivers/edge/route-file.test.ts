import { describe, expect, test } from 'vitest'
import { alias, EDGE_NAME } from './alias.ts'
import type { EdgeRoute } from './edge.ts'
import { nameFor, parseFile, placeRoute, routeOf } from './route-file.ts'

const route: EdgeRoute = { host: 'a.test', pathPrefix: null, project: 'prj_e1', service: 'web', port: 8080 }

describe('a route as a file name', () => {
  test.for([
    ['a.test', null, 'a.test'],
    ['a.test', '/', 'a.test'],
    ['xn--bcher-kva.example', '/api', 'xn--bcher-kva.example/1/api'],
    ['localhost', '/api/v1/', 'localhost/2/api/v1'],
    ['a.test', '/a/b.c/D~d/e-e', 'a.test/4/a/b.c/D~d/e-e'],
  ] as const)('%s%s lies in %s', ([host, pathPrefix, slot]) => {
    expect(placeRoute({ ...route, host, pathPrefix })).toEqual({ slot, entry: 'prj_e1+web@8080' })
  })

  test('comes back from it whole', () => {
    for (const pathPrefix of [null, '/api', '/api/v1']) {
      const { slot, entry } = placeRoute({ ...route, service: 'my_api.v2', pathPrefix })
      const file = parseFile(`${slot}/${nameFor(entry, 1_790_000_000_123)}`)
      expect(file).toMatchObject({ slot, entry, stamp: 1_790_000_000_123 })
      expect(routeOf(file ?? { slot, entry })).toEqual({ ...route, service: 'my_api.v2', pathPrefix })
    }
  })

  test('names the port of a successor, too, while there is one', () => {
    const both = { ...route, also: 9090 }
    expect(placeRoute(both).entry).toBe('prj_e1+web@8080,9090')
    expect(routeOf(placeRoute(both))).toEqual(both)
    expect(() => placeRoute({ ...route, also: 70_000 })).toThrow('is not a port')
  })

  test('of a wildcard lies in a folder that is no host name', () => {
    const wild = { ...route, host: '*.a.test', pathPrefix: '/api' }
    expect(placeRoute(wild)).toEqual({ slot: '_.a.test/1/api', entry: 'prj_e1+web@8080' })
    expect(routeOf(placeRoute(wild))).toEqual(wild)
  })

  test('that sends visitors elsewhere names the other host', () => {
    for (const https of [true, false]) {
      const sent = { ...route, service: '', port: 0, redirectTo: { host: 'b.test', https } }
      expect(placeRoute(sent).entry).toBe(`prj_e1+=b.test${https ? '!' : ''}`)
      expect(routeOf(placeRoute(sent))).toEqual(sent)
    }
  })

  test('a later name sorts first, and no name is ever made twice', () => {
    const names = [3, 2, 1].map((stamp) => nameFor('none', 1_790_000_000_000 + stamp))
    expect(names.toSorted()).toEqual(names)
    expect(nameFor('none', 5)).not.toBe(nameFor('none', 5))
  })
})

describe('what is no route', () => {
  test.for([
    { host: 'A.test' },
    { host: 'bücher.example' },
    { host: '*' },
    { host: 'a.*.test' },
    { host: '*.*.test' },
    { redirectTo: { host: 'a/b', https: true } },
    { host: 'a.test.' },
    { host: '..' },
    { host: 'a/../b' },
    { host: 'a.test:80' },
    { host: '' },
    { host: `${'a.'.repeat(130)}test` },
    { host: '-a.test' },
    { host: 'a.test\n' },
    { pathPrefix: 'api' },
    { pathPrefix: '/a//b' },
    { pathPrefix: '/../b' },
    { pathPrefix: '/a+b' },
    { pathPrefix: '/a%2fb' },
    { pathPrefix: '/1/2/3/4/5' },
    { pathPrefix: '' },
    { project: 'prj/1' },
    { project: 'a+b' },
    { service: 'Web' },
    { service: 'a@1' },
    { service: '../x' },
    { port: 0 },
    { port: 65_536 },
    { port: 80.5 },
  ] as Partial<EdgeRoute>[])('%o is refused', (part) => {
    expect(() => placeRoute({ ...route, ...part })).toThrow(expect.objectContaining({ code: 'route_invalid' }))
  })
})

test('services are found by one name each, on the network of that name', () => {
  // Running services carry both: changing either cuts them off until they are rolled out again.
  expect(EDGE_NAME).toBe('slipway-edge')
  expect(alias('prj_e1', 'web')).toBe('web.prj_e1.internal')
})
