import type { HandmadeHost } from './host.ts'
import { IMAGE } from './stacks.ts'

const SOCKET = '/var/run/docker.sock'

/** Containers started by hand, one at a time, with whatever people give them. */
export async function makeLoose(host: HandmadeHost): Promise<void> {
  const run = (name: string, ...options: string[]) =>
    host.docker('run', '-d', '--name', name, ...options, IMAGE, 'sleep', '36000')
  await run('h-net', '--network', 'host')
  await run('h-pid', '--pid', 'host')
  await run('priv', '--privileged')
  await run('dev', '--device', '/dev/null:/dev/xnull')
  await run('caps', '--cap-add', 'NET_ADMIN', '--cap-add', 'SYS_PTRACE', '--security-opt', 'no-new-privileges')
  await run('tuned', '--sysctl', 'net.core.somaxconn=512', '--group-add', '44', '--security-opt', 'no-new-privileges')
  await run('sock', '-v', `${SOCKET}:/sock`)
  await run('binds', '-v', '/etc:/host-etc:ro', '-v', '/srv/binds/data:/data', '-v', '/:/rootfs:ro')
  await run('anon', '-v', '/cache', '-v', 'named-x:/x')
  await run('anon2', '--volumes-from', 'anon')
  await run('linked', '--link', 'anon:a1')
  await run('joined', '--network', 'container:anon')
  await host.docker('network', 'create', 'web')
  await run('net2', '--network', 'web', '--network-alias', 'n2')
  await host.docker('network', 'connect', 'bridge', 'net2')
  await run('ephemeral', '--rm', '-P', '--expose', '7000')
  await run('ephemeral-data', '--rm', '-v', '/gone')
  const amounts = ['-m', '32m', '--memory-swap', '48m', '--cpus', '0.25', '--cpu-shares', '512', '--pids-limit', '50']
  const others = ['--oom-score-adj', '100', '--shm-size', '8m', '--cpuset-cpus', '0', '--tmpfs', '/t:size=1m']
  await run('limits', ...amounts, ...others)
  const names = [
    '--dns',
    '10.0.0.2',
    '--dns-search',
    'corp.example',
    '--hostname',
    'lg',
    '--domainname',
    'corp.example',
  ]
  await run('logs', '--log-driver', 'none', ...names, '--mac-address', '02:42:ac:11:00:aa')
  await run('secrets', '-e', 'PASSWORD=p@ss', '-e', 'MULTI=a\nb', '-e', 'EMPTY=', '-e', 'PEM=-----BEGIN KEY-----\nabc')
  await host.docker('run', '-d', '--name', 'stopped', IMAGE, 'true')
  await host.docker('run', '-d', '--name', 'failed', IMAGE, 'false')
  await host.docker('create', '--name', 'created', IMAGE, 'true')
  await host.docker('run', '-d', '--name', 'looping', '--restart', 'always', IMAGE, 'false')
  await run('paused')
  await host.docker('pause', 'paused')
  const id = (await host.docker('image', 'inspect', '-f', '{{.Id}}', IMAGE)).trim()
  await host.docker('run', '-d', '--name', 'byid', id, 'sleep', '36000')
}

/** What bears the marks of other platforms, and of this one. */
export async function makePlatforms(host: HandmadeHost): Promise<void> {
  const run = (name: string, ...options: string[]) =>
    host.docker('run', '-d', '--name', name, ...options, IMAGE, 'sleep', '36000')
  const labels = (all: Record<string, string>) =>
    Object.entries(all).flatMap(([name, value]) => ['--label', `${name}=${value}`])
  const stack = (project: string, service: string, folder: string) =>
    labels({
      'com.docker.compose.project': project,
      'com.docker.compose.service': service,
      'com.docker.compose.project.working_dir': folder,
      'com.docker.compose.project.config_files': `${folder}/docker-compose.yml`,
      'com.docker.compose.version': '2.24.0',
      'com.docker.compose.oneoff': 'False',
      'com.docker.compose.container-number': '1',
    })
  await run('app-x8k', ...labels({ 'coolify.managed': 'true', 'coolify.type': 'application' }))
  await run('portainer', '-v', 'portainer_data:/data', '-v', `${SOCKET}:${SOCKET}`)
  await run('pstack-app-1', ...stack('pstack', 'app', '/data/compose/3'))
  await run('dokploy-app', ...stack('app-cms-ab12', 'cms', '/etc/dokploy/compose/app-cms-ab12/code'))
  await run('ours', ...labels({ 'slipway.instance': 'abc', 'slipway.project': 'prj_1', 'slipway.service': 'web' }))
  await run('ryuk', ...labels({ 'org.testcontainers': 'true' }))
  await run('tower', ...labels({ 'com.centurylinklabs.watchtower': 'true' }), '-v', `${SOCKET}:${SOCKET}`)
}

/** A stack of a Swarm, and services by hand. */
export async function makeSwarm(host: HandmadeHost): Promise<void> {
  const service = (name: string, ...more: string[]) =>
    [`  ${name}:`, `    image: ${IMAGE}`, '    command: [sleep, "36000"]', ...more.map((line) => `    ${line}`)].join(
      '\n',
    )
  const services = [
    service('api', 'deploy: { replicas: 2 }', 'environment: { STACK_SECRET: deep }', 'secrets: [key]'),
    service('meter', 'deploy: { mode: global }', 'volumes: ["data:/data"]'),
    service('idle', 'deploy: { replicas: 0 }'),
  ]
  const text = `version: "3.8"\nservices:\n${services.join('\n')}\nsecrets: { key: { file: ./key } }\nvolumes: { data: {} }\n`
  host.put('/srv/stats/stack.yml', text)
  host.put('/srv/stats/key', 'swarm-secret-content\n')
  await host.docker('stack', 'deploy', '--detach=true', '-c', '/srv/stats/stack.yml', 'stats')
  const make = (name: string, ...options: string[]) =>
    host.docker('service', 'create', '-d', '-q', '--name', name, ...options, IMAGE, 'sleep', '36000')
  const mount = 'type=volume,source=lonely-data,target=/data'
  await make('lonely', '--label', 'by=hand', '--env', 'SWARM_KEY=deep', '--mount', mount, '--limit-memory', '32M')
  await make('srv-captain--shop', '--container-label', 'captain=1')
}
