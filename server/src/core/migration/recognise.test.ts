import { describe, expect, test } from 'vitest'
import { originOf } from './origin.ts'
import { platformOf } from './platform-of.ts'
import { proxyNames } from './proxy-names.ts'

const C = 'com.docker.compose.'
const labels = (more: Record<string, string>) => ({ [`${C}project`]: 'blog', [`${C}service`]: 'web', ...more })
const compose = (more: Record<string, string>) => {
  const origin = originOf(labels(more))
  if (origin.kind !== 'compose') throw new Error(`it is ${origin.kind}`)
  return origin.compose
}

describe('who made a container', () => {
  test('compose of the first generation names its files from its folder, the second one from the root', () => {
    const where = {
      [`${C}project.working_dir`]: '/srv/blog/',
      [`${C}project.config_files`]: 'a.yml,/etc/b.yml, sub/../c.yml',
    }
    expect(compose({ ...where, [`${C}version`]: '1.29.2' })).toMatchObject({
      maker: 'compose v1',
      workingDir: '/srv/blog',
      files: ['/srv/blog/a.yml', '/etc/b.yml', '/srv/blog/c.yml'],
    })
    expect(compose({ [`${C}version`]: '2.26.1' })).toMatchObject({ maker: 'compose v2', files: [], envFiles: null })
  })

  test('what a service waits for is known from its labels, also when the file is gone', () => {
    expect(compose({ [`${C}depends_on`]: 'db:service_healthy:false,cache:service_started:true' }).dependsOn).toEqual([
      { service: 'db', condition: 'service_healthy' },
      { service: 'cache', condition: 'service_started' },
    ])
    expect(compose({}).dependsOn).toBeNull()
  })

  test.each([
    ['a;rm -rf $(x)', 'web'],
    ['blog', ''],
    ['blog', '../etc'],
    ['p'.repeat(300), 'web'],
  ])('a project %j of a service %j is none, and its container is loose', (project, service) => {
    expect(originOf({ [`${C}project`]: project, [`${C}service`]: service })).toEqual({ kind: 'loose' })
  })

  test('lists of files without end, and paths that are none, are not followed', () => {
    const many = Array.from({ length: 3000 }, (_, n) => `/srv/h/${n}.yaml`).join()
    expect(compose({ [`${C}project.config_files`]: many }).files).toEqual([])
    expect(compose({ [`${C}project.config_files`]: 'relative.yml' }).files).toEqual([])
    expect(compose({ [`${C}project.working_dir`]: 'nowhere' }).workingDir).toBeNull()
  })

  test('a task of a Swarm is known by its service, whatever else it says', () => {
    expect(originOf(labels({ 'com.docker.swarm.service.id': 'abc' }))).toEqual({ kind: 'swarm', serviceId: 'abc' })
  })
})

describe('other platforms', () => {
  const none = { labels: {}, name: 'x', image: 'busybox' }
  test.each([
    ['slipway', { ...none, labels: { 'slipway.instance': 'a', 'coolify.managed': 'true' } }],
    ['coolify', { ...none, labels: { 'coolify.managed': 'true' } }],
    ['caprover', { ...none, service: 'srv-captain--shop' }],
    ['dokploy', { ...none, workingDir: '/etc/dokploy/compose/x/code' }],
    ['portainer', { ...none, workingDir: '/data/compose/3' }],
    ['kubernetes', { ...none, labels: { 'io.kubernetes.pod.name': 'x' } }],
  ])('what is of %s is said to be so', (platform, marks) => expect(platformOf(marks)).toBe(platform))
  test('what bears no mark is of none', () => expect(platformOf(none)).toBeNull())
})

describe('names that a proxy leads to a container', () => {
  const names = (of: Record<string, string>, environment: [string, string][] = []) =>
    proxyNames({ labels: of, environment: new Map(environment) }).map(
      ({ host, path, port, by }) => `${by} ${host}${path ?? ''}${port === null ? '' : `:${port}`}`,
    )

  test('of Traefik: each host of a rule; a path only where no other host could be meant', () => {
    const port = { 'traefik.http.services.a.loadbalancer.server.port': '8080' }
    const rule = (text: string) => names({ 'traefik.http.routers.a.rule': text, ...port })
    expect(rule('Host(`a.example.org`) && PathPrefix(`/api`)')).toEqual(['traefik a.example.org/api:8080'])
    expect(rule('Host(`a.example.org`) || (Host(`b.example.org`, "c.example.org") && PathPrefix(`/x`))')).toEqual([
      'traefik a.example.org:8080',
      'traefik b.example.org:8080',
      'traefik c.example.org:8080',
    ])
    expect(rule('HostRegexp(`{sub:[a-z]+}.example.org`)')).toEqual([])
    expect(names({ 'traefik.enable': 'false', 'traefik.http.routers.a.rule': 'Host(`a.example.org`)' })).toEqual([])
    expect(names({ 'traefik.frontend.rule': 'Host:v1.example.org,v2.example.org;PathPrefix:/x' })).toEqual([
      'traefik 1 v1.example.org/x',
      'traefik 1 v2.example.org/x',
    ])
  })

  test('of Caddy and of nginx-proxy', () => {
    const caddy = { caddy: 'https://a.example.org, b.example.org:443', 'caddy.reverse_proxy': '{{upstreams 8080}}' }
    expect(names(caddy)).toEqual(['caddy a.example.org:8080', 'caddy b.example.org:8080'])
    expect(
      names({}, [
        ['VIRTUAL_HOST', 'n.example.org,m.example.org'],
        ['VIRTUAL_PORT', '3000'],
      ]),
    ).toEqual(['nginx-proxy n.example.org:3000', 'nginx-proxy m.example.org:3000'])
  })

  test('what is no host name is left out, and there are not many', () => {
    expect(names({ caddy: '$(id).example.org ../etc localhost a.example.org;x' })).toEqual([])
    expect(names({ caddy: Array.from({ length: 150 }, (_, n) => `h${n}.example.org`).join(' ') })).toHaveLength(50)
  })
})
