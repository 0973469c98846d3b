type Marks = {
  labels: Readonly<Record<string, string>>
  name: string
  image: string
  /** Of a Swarm. */
  service?: string
  workingDir?: string | null
}

/** Of which platform a container or a service is: what two of them manage, neither does. Marks in the order in which they count. */
export const PLATFORMS: readonly { platform: string; marks: string; is(marks: Marks): boolean }[] = [
  {
    platform: 'slipway',
    marks: 'labels `slipway.*`',
    is: ({ labels }) => has(labels, 'slipway.'),
  },
  {
    platform: 'coolify',
    marks: 'labels `coolify.*`, a container named `coolify…`',
    is: ({ labels, name }) => has(labels, 'coolify.') || /^coolify(-|$)/.test(name),
  },
  {
    platform: 'caprover',
    marks: 'Swarm services `srv-captain--*` and `captain-*`',
    is: ({ service = '' }) => service.startsWith('srv-captain--') || /^captain-(captain|nginx|certbot)/.test(service),
  },
  {
    platform: 'dokploy',
    marks: 'compose folder below `/etc/dokploy/`, names `dokploy…`',
    is: ({ workingDir, service, name }) =>
      workingDir?.startsWith('/etc/dokploy/') === true || /^dokploy(-|$)/.test(service || name),
  },
  {
    platform: 'dokku',
    marks: 'labels `com.dokku.*`',
    is: ({ labels }) => has(labels, 'com.dokku.') || labels.dokku !== undefined,
  },
  {
    platform: 'portainer',
    marks: 'compose folder `/data/compose/N`, image `portainer/…`',
    is: ({ workingDir, image }) =>
      /^(docker\.io\/)?portainer\//.test(image) || /^\/data\/compose\/\d+/.test(workingDir ?? ''),
  },
  {
    platform: 'easypanel',
    marks: 'labels `io.easypanel.*`',
    is: ({ labels }) => has(labels, 'io.easypanel.') || has(labels, 'easypanel'),
  },
  { platform: 'casaos', marks: 'label `casaos`', is: ({ labels }) => labels.casaos !== undefined },
  {
    platform: 'kubernetes',
    marks: 'labels `io.kubernetes.*`, `io.x-k8s.*`',
    is: ({ labels }) => has(labels, 'io.kubernetes.') || has(labels, 'io.x-k8s.'),
  },
  {
    platform: 'testcontainers',
    marks: 'labels `org.testcontainers*`',
    is: ({ labels }) => has(labels, 'org.testcontainers'),
  },
  { platform: 'devcontainer', marks: 'labels `devcontainer.*`', is: ({ labels }) => has(labels, 'devcontainer.') },
]

export const platformOf = (marks: Marks): string | null => PLATFORMS.find(({ is }) => is(marks))?.platform ?? null

const has = (labels: Marks['labels'], prefix: string) => Object.keys(labels).some((name) => name.startsWith(prefix))
