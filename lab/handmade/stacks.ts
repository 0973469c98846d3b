import type { HandmadeHost } from './host.ts'

export const IMAGE = 'busybox:1'
/** Keeps running; the engine ends it when it is told to go. */
const IDLE = 'command: [sleep, "36000"]'
const service = (name: string, more: string[] = [], image = IMAGE) =>
  [`  ${name}:`, `    image: ${image}`, `    ${IDLE}`, ...more.map((line) => `    ${line}`)].join('\n')
const file = (services: string[], rest = '') => `services:\n${services.join('\n')}\n${rest}\n`
const HOME = '/home/ann'

/** Compose stacks of different make, each as somebody has it. */
export async function makeStacks(host: HandmadeHost): Promise<void> {
  for (const make of [inStep, withParts, editedSince, filesGone, elsewhere, imageMoved, richImage, oldCompose])
    await make(host)
  for (const make of [notRunning, behindTraefik, behindOthers, shellOnly, sameAlias]) await make(host)
}

const up = (host: HandmadeHost, ...files: string[]) =>
  host.compose({}, ...files.flatMap((path) => ['-f', path]), 'up', '-d', '--quiet-pull')

async function inStep(host: HandmadeHost): Promise<void> {
  host.put('/srv/blog/.env', 'DB_PASSWORD=hunter2-blog\nTAG=unused\nCOMPOSE_PROJECT_NAME=blog\n')
  host.put('/srv/blog/app.env', 'API_TOKEN=sk_live_blog_123\nMODE=prod\n')
  host.put('/srv/blog/conf/app.ini', 'x=1\n')
  const web = [
    'env_file: app.env',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: compose's own
    'environment: { DATABASE_URL: "postgres://blog:${DB_PASSWORD}@postgres/blog" }',
    'ports: ["8081:80", "127.0.0.1:8444:443/tcp"]',
    'depends_on: { postgres: { condition: service_healthy } }',
    'mem_limit: 64m',
    'cpus: 0.5',
    'restart: unless-stopped',
    'labels: { com.example.team: blog }',
  ]
  const postgres = [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: compose's own
    'environment: { POSTGRES_PASSWORD: "${DB_PASSWORD}" }',
    'volumes: ["pgdata:/var/lib/postgresql/data"]',
    'healthcheck: { test: ["CMD-SHELL", "test -d /var/lib/postgresql/data"], interval: 5s, retries: 5 }',
    'restart: always',
  ]
  const worker = [
    'volumes: ["uploads:/uploads", "./conf:/etc/app:ro"]',
    'tmpfs: ["/scratch:size=16m"]',
    'init: true',
    'stop_grace_period: 42s',
    'ulimits: { nofile: { soft: 2048, hard: 4096 } }',
    'logging: { driver: json-file, options: { max-size: "5m", max-file: "2" } }',
    'extra_hosts: ["db.internal:10.0.0.9", "host.docker.internal:host-gateway"]',
    'cap_drop: [NET_RAW]',
    'deploy: { replicas: 2 }',
  ]
  const services = [service('web', web), service('postgres', postgres), service('worker', worker)]
  host.put('/srv/blog/compose.yaml', file(services, 'volumes: { pgdata: {}, uploads: {} }'))
  await up(host, '/srv/blog/compose.yaml')
}

async function withParts(host: HandmadeHost): Promise<void> {
  const web = '  web: { extends: { file: base.yaml, service: base }, ports: ["8082:80"], hostname: shop-web }'
  const services = [web, service('postgres', ['volumes: ["data:/data"]']), service('debug', ['profiles: [debug]'])]
  host.put('/srv/shop/docker-compose.yml', `include: [parts/cache.yaml]\n${file(services, 'volumes: { data: {} }')}`)
  host.put(
    '/srv/shop/base.yaml',
    file([service('base', ['environment: { FROM_BASE: "1", SHOP_KEY: "shop-key-4711" }'])]),
  )
  host.put(
    '/srv/shop/parts/cache.yaml',
    file([service('cache', ['networks: [back]'])], 'networks: { back: { internal: true } }'),
  )
  const override = '/srv/shop/docker-compose.override.yml'
  host.put(override, 'services:\n  web: { environment: { OVERRIDE: "yes" }, read_only: true }\n')
  await host.compose({}, '-f', '/srv/shop/docker-compose.yml', '-f', override, '--profile', 'debug', 'up', '-d')
}

async function editedSince(host: HandmadeHost): Promise<void> {
  const path = '/srv/wiki/compose.yml'
  host.put(path, file([service('web', ['ports: ["8083:80"]', 'environment: { A: "1" }']), service('old')]))
  await up(host, path)
  const now = ['ports: ["9083:80"]', 'environment: { A: "2", B: "new" }']
  host.put(path, file([service('web', now, 'local/app:1'), service('fresh')]))
}

async function filesGone(host: HandmadeHost): Promise<void> {
  host.put(
    '/srv/chat/compose.yaml',
    file([service('bot', ['depends_on: [redis]']), service('redis', ['volumes: ["/data"]'])]),
  )
  await up(host, '/srv/chat/compose.yaml')
  host.remove('/srv/chat/compose.yaml')
  host.put('/srv/mail/compose.yaml', file([service('smtp'), service('imap')]))
  await up(host, '/srv/mail/compose.yaml')
  host.move('/srv/mail', '/srv/mail-2024')
}

/** Under other names, in two files, behind a link, with its variables elsewhere. */
async function elsewhere(host: HandmadeHost): Promise<void> {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: compose's own
  host.put('/opt/data/git/stack.yml', file([service('server', ['environment: { ROOT_URL: "${URL:?}" }'])]))
  host.put('/opt/data/git/prod.yml', 'services:\n  server: { ports: ["2222:22"] }\n')
  host.put('/opt/data/env/git.env', 'URL=https://git.example.org\n')
  host.link('/opt/data/git', '/opt/git')
  const files = ['-f', '/opt/git/stack.yml', '-f', '/opt/git/prod.yml']
  await host.compose({}, '-p', 'gitea', '--env-file', '/opt/data/env/git.env', ...files, 'up', '-d')
}

/** The tag means another image now than when it was started. */
async function imageMoved(host: HandmadeHost): Promise<void> {
  host.put('/srv/drift/compose.yaml', file([service('api', [], 'local/app:1')]))
  await up(host, '/srv/drift/compose.yaml')
  await commit(host, 'local/app:1', ['LABEL v=2'])
}

async function richImage(host: HandmadeHost): Promise<void> {
  const changed = [
    '  changed:',
    '    image: local/rich:1',
    '    entrypoint: ["sleep"]',
    '    command: ["7200"]',
    '    environment: { IMG_B: three, OWN: mine }',
    '    user: "0"',
    '    working_dir: /tmp',
    '    stop_signal: SIGQUIT',
    '    healthcheck: { disable: true }',
    '    labels: { maker: us }',
  ].join('\n')
  const plain = '  plain: { image: "local/rich:1" }'
  const same = '  same: { image: "local/rich:1", environment: { IMG_A: one }, command: ["3600"] }'
  host.put('/srv/rich/compose.yaml', file([plain, changed, same]))
  await up(host, '/srv/rich/compose.yaml')
}

/** As version 1.29 labelled its containers. */
async function oldCompose(host: HandmadeHost): Promise<void> {
  const label = (name: string, value: string) => ['--label', `com.docker.compose.${name}=${value}`]
  const folder = `${HOME}/legacy`
  const of = (name: string, oneOff: string) => [
    ...label('project', 'legacy'),
    ...label('service', name),
    ...label('container-number', '1'),
    ...label('oneoff', oneOff),
    ...label('project.working_dir', folder),
    ...label('project.config_files', 'docker-compose.yml'),
    ...label('version', '1.29.2'),
  ]
  const names = ['web', 'db', 'cron']
  for (const name of names)
    await host.docker(
      'run',
      '-d',
      '--name',
      `legacy_${name}_1`,
      ...of(name, 'False'),
      '-v',
      `legacy_${name}:/data`,
      '--restart',
      'always',
      IMAGE,
      'sleep',
      '36000',
    )
  await host.docker('run', '-d', '--name', 'legacy_web_run_1', ...of('web', 'True'), IMAGE, 'true')
  const services = names.map((name) => service(name, ['restart: always', `volumes: ["${name}:/data"]`]))
  host.put(`${folder}/docker-compose.yml`, `version: "3.3"\n${file(services, 'volumes: { web: , db: , cron: }')}`)
}

async function notRunning(host: HandmadeHost): Promise<void> {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: compose's own
  host.put('/opt/parked/docker-compose.yml', file([service('app', ['environment: { KEY: "${SECRET:-s3}" }'])]))
  host.put(`${HOME}/notes/compose.yaml`, file([service('app')]))
  host.put(`${'/root'}/tools/compose.yaml`, 'services: { x: { image: nginx } }\n')
}

async function behindTraefik(host: HandmadeHost): Promise<void> {
  const rule = 'Host(`who.example.org`) || (Host(`www.example.org`, `w3.example.org`) && PathPrefix(`/api`))'
  const whoami = [
    'labels:',
    '  traefik.enable: "true"',
    `  traefik.http.routers.who.rule: "${rule}"`,
    '  traefik.http.routers.who.tls.certresolver: le',
    '  traefik.http.services.who.loadbalancer.server.port: "8080"',
  ]
  const socket = 'volumes: ["/var/run/docker.sock:/var/run/docker.sock:ro", "./acme:/acme"]'
  const first = 'labels: ["traefik.frontend.rule=Host:v1.example.org,v1b.example.org;PathPrefix:/x"]'
  const regexp = 'labels: ["traefik.http.routers.r.rule=HostRegexp(`{sub:[a-z]+}.example.org`)"]'
  const services = [service('traefik', ['ports: ["80:80", "443:443"]', socket]), service('whoami', whoami)]
  host.put('/opt/traefik/compose.yaml', file([...services, service('old1', [first]), service('regexp', [regexp])]))
  await up(host, '/opt/traefik/compose.yaml')
}

async function behindOthers(host: HandmadeHost): Promise<void> {
  const site = 'labels: { caddy: "site.example.org, www.site.example.org", caddy.reverse_proxy: "{{upstreams 8080}}" }'
  const site2 = 'labels: { caddy_0: "a.example.org", caddy_1: "b.example.org", caddy_1.tls: internal }'
  const nginx =
    'environment: { VIRTUAL_HOST: "n.example.org,m.example.org", VIRTUAL_PORT: "3000", LETSENCRYPT_HOST: n.example.org }'
  host.put(
    '/srv/sites/compose.yaml',
    file([service('site', [site]), service('site2', [site2]), service('ngx', [nginx])]),
  )
  await up(host, '/srv/sites/compose.yaml')
}

/** What only the shell knew that started them. */
async function shellOnly(host: HandmadeHost): Promise<void> {
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: compose's own
  const unset = [
    'environment: { FOO: "${FOO}", PASS: "x-${DBPASS}", FROMSHELL: }',
    'volumes: ["${PWD}/data:/data", "${HOME}/h:/h"]',
  ]
  host.put('/srv/unk/compose.yaml', file([service('a', unset)]))
  host.put('/srv/unk/x.env', 'Q=1\n')
  host.put('/srv/unk2/compose.yaml', file([service('a', ['labels: ["n=${NEED:?must be set}"]'])]))
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: compose's own
  host.put('/srv/unk3/compose.yaml', file([service('a', ['env_file: [/srv/unk/x.env]'])]))
  const shell = { FOO: 'bar', DBPASS: 's3', FROMSHELL: 'yes', PWD: '/srv/unk', HOME: '/root', NEED: '1' }
  for (const name of ['unk', 'unk2', 'unk3']) await host.compose(shell, '-f', `/srv/${name}/compose.yaml`, 'up', '-d')
}

/** Two services answer to one name, each on a network of its own. */
async function sameAlias(host: HandmadeHost): Promise<void> {
  const db = (network: string) => [`networks: { ${network}: { aliases: [db] } }`]
  const services = [service('db-a', db('a')), service('db-b', db('b')), service('both', ['networks: [a, b]'])]
  host.put('/srv/twins/compose.yaml', file(services, 'networks: { a: {}, b: {} }'))
  await up(host, '/srv/twins/compose.yaml')
}

/** An image that exists on the server alone. */
export async function commit(host: HandmadeHost, tag: string, changes: string[]): Promise<void> {
  await host.docker('create', '--name', 'making', IMAGE, 'true')
  await host.docker('commit', ...changes.flatMap((change) => ['--change', change]), 'making', tag)
  await host.docker('rm', 'making')
}
