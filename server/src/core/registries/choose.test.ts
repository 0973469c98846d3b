import { describe, expect, test } from 'vitest'
import { choose, covers } from './choose.ts'
import { hostName, whereIs } from './image-name.ts'

const D = `sha256:${'a'.repeat(64)}`

test.each([
  ['nginx', 'docker.io', 'library/nginx'],
  ['nginx:1.29', 'docker.io', 'library/nginx'],
  ['team/app:1', 'docker.io', 'team/app'],
  ['docker.io/nginx', 'docker.io', 'library/nginx'],
  ['index.docker.io/team/app', 'docker.io', 'team/app'],
  ['registry-1.docker.io/team/app', 'docker.io', 'team/app'],
  ['ghcr.io/team/app:2', 'ghcr.io', 'team/app'],
  ['GHCR.io/team/app', 'ghcr.io', 'team/app'],
  ['Team/app', 'team', 'app'],
  ['localhost/app', 'localhost', 'app'],
  ['localhost:5000/app:1', 'localhost:5000', 'app'],
  ['registry:5000/a/b/c:1.2', 'registry:5000', 'a/b/c'],
  [`ghcr.io/team/app:2@${D}`, 'ghcr.io', 'team/app'],
  [`ghcr.io/team/app@${D}`, 'ghcr.io', 'team/app'],
  [`nginx@${D}`, 'docker.io', 'library/nginx'],
  ['', 'docker.io', 'library/'],
])('%s is at %s and is called %s', (image, host, path) => expect(whereIs(image)).toEqual({ host, path }))

test('a host has one spelling', () => {
  expect(['Docker.io', 'INDEX.docker.io', 'registry.hub.docker.com', 'GHCR.io'].map(hostName)).toEqual([
    'docker.io',
    'docker.io',
    'docker.io',
    'ghcr.io',
  ])
})

describe('which one', () => {
  const one = (host: string, path: string | null = null, projectId: string | null = null) => ({ host, path, projectId })

  test.each([
    ['ghcr.io/team/app', true],
    ['ghcr.io/team', true],
    ['ghcr.io/teams/app', false],
    ['ghcr.io/tea/app', false],
    ['ghcr.io/x/team/app', false],
    ['ghcr.io.evil.example/team/app', false],
    ['evil.example/ghcr.io/team/app', false],
    ['ghcr.io:443/team/app', false],
    ['team/app', false],
  ])('ghcr.io/team covers %s: %s', (image, is) => expect(covers(one('ghcr.io', 'team'), image)).toBe(is))

  test('the project goes before the organization, then the longest path', () => {
    const all = [one('ghcr.io'), one('ghcr.io', 'team/app'), one('ghcr.io', 'team'), one('ghcr.io', null, 'prj_1')]
    expect(choose(all, 'ghcr.io/team/app:1')).toBe(all[3])
    expect(choose(all.slice(0, 3), 'ghcr.io/team/app:1')).toBe(all[1])
    expect(choose(all.slice(0, 3), 'ghcr.io/team/other')).toBe(all[2])
    expect(choose(all.slice(0, 3), 'ghcr.io/else')).toBe(all[0])
    expect(choose(all, 'nginx')).toBeNull()
  })
})
