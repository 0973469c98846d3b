import { expect, test } from 'vitest'
import { serviceName } from './labels.ts'

const name = (project: string, service: string) => serviceName('i', { project, service })

test('a name is one that the engine takes, whatever the project and the service are called', () => {
  for (const [project, service] of [
    ['prj_AbC', 'web'],
    ['', 'ünï çödé'],
    ['x'.repeat(200), 'y'.repeat(200)],
    ['-', '_'],
    ['a--', '--b'],
  ] as const) {
    expect(name(project, service)).toMatch(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/)
    expect(name(project, service).length).toBeLessThanOrEqual(63)
  }
})

test('what looks the same after cleaning stays apart', () => {
  const names = [
    name('a-b', 'c'),
    name('a', 'b-c'),
    name('A', 'b-c'),
    name('a', 'b_c'),
    serviceName('j', { project: 'a', service: 'b-c' }),
  ]
  expect(new Set(names).size).toBe(names.length)
})
