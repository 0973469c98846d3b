import type { FoundMount, FoundService } from './found.ts'
import { dict, flag, list, number, pairs, type Raw, text, textDict, texts, textsOrNull } from './plain.ts'
import { readConfig, readHealth } from './read-config.ts'
import { emptyHost, readAsked, readUlimit } from './read-container.ts'

const NS_PER_MS = 1_000_000

/** A Swarm service in the words of a container: its tasks are what would be taken over. */
export function readService(raw: Raw): FoundService {
  const answer = dict(raw)
  const spec = dict(answer.Spec)
  const task = dict(spec.TaskTemplate)
  const container = dict(task.ContainerSpec)
  const mode = dict(spec.Mode)
  const grace = container.StopGracePeriod
  return {
    id: text(answer.ID),
    name: text(spec.Name),
    labels: textDict(spec.Labels),
    mode: 'Global' in mode ? 'global' : 'Replicated' in mode ? 'replicated' : 'job',
    replicas: number(dict(mode.Replicated).Replicas),
    run: runOf(container),
    host: hostOf(task, container, dict(answer.Endpoint)),
    mounts: list(container.Mounts).map(readMount),
    networks: list(task.Networks).map((one) => ({ id: text(dict(one).Target), aliases: texts(dict(one).Aliases) })),
    secrets: list(container.Secrets).map((one) => text(dict(one).SecretName)),
    configs: list(container.Configs).map((one) => text(dict(one).ConfigName)),
    stopGraceMs: typeof grace === 'number' ? grace / NS_PER_MS : null,
  }
}

/** `Command` is what an image calls its entrypoint, `Args` its command. */
const runOf = (container: Record<string, Raw>) => ({
  ...readConfig({}),
  image: text(container.Image),
  hostname: text(container.Hostname),
  user: text(container.User),
  tty: flag(container.TTY),
  stdin: flag(container.OpenStdin),
  environment: texts(container.Env),
  command: textsOrNull(container.Args),
  entrypoint: textsOrNull(container.Command),
  workingDir: text(container.Dir),
  labels: textDict(container.Labels),
  stopSignal: text(container.StopSignal),
  health: readHealth(container.Healthcheck),
})

function hostOf(
  task: Record<string, Raw>,
  container: Record<string, Raw>,
  endpoint: Record<string, Raw>,
): FoundService['host'] {
  const limits = dict(dict(task.Resources).Limits)
  const restart = dict(task.RestartPolicy)
  const log = dict(task.LogDriver)
  const dns = dict(container.DNSConfig)
  return {
    ...emptyHost(),
    ports: list(endpoint.Ports).map((one) => {
      const port = dict(one)
      const published = String(number(port.PublishedPort))
      return { target: number(port.TargetPort), protocol: text(port.Protocol) || 'tcp', address: '', published }
    }),
    restart: { name: RESTARTS[text(restart.Condition)] ?? 'always', maxRetries: number(restart.MaxAttempts) },
    mountsAsked: list(container.Mounts).map(readAsked),
    capAdd: texts(container.CapabilityAdd),
    capDrop: texts(container.CapabilityDrop),
    dns: texts(dns.Nameservers),
    dnsOptions: texts(dns.Options),
    dnsSearch: texts(dns.Search),
    // `ADDRESS NAME`, the other way round than a container has it.
    hosts: texts(container.Hosts).map((line) => line.replace(/^(\S+)\s+(.*)$/, '$2:$1')),
    groups: texts(container.Groups),
    readOnly: flag(container.ReadOnly),
    securityOptions: securityOf(dict(container.Privileges)),
    runtime: text(task.Runtime) === 'container' ? '' : text(task.Runtime),
    sysctls: textDict(container.Sysctls),
    ulimits: list(container.Ulimits).map(readUlimit),
    memory: number(limits.MemoryBytes),
    nanoCpus: number(limits.NanoCPUs),
    pids: number(limits.Pids),
    init: flag(container.Init),
    log: { driver: text(log.Name) || 'json-file', options: textDict(log.Options) },
  }
}

function securityOf({ NoNewPrivileges, Seccomp, AppArmor }: Record<string, Raw>): string[] {
  const seccomp = text(dict(Seccomp).Mode)
  return [
    ...(flag(NoNewPrivileges) ? ['no-new-privileges'] : []),
    ...(seccomp === '' || seccomp === 'default' ? [] : [`seccomp=${seccomp}`]),
    ...(text(dict(AppArmor).Mode) === 'disabled' ? ['apparmor=unconfined'] : []),
  ]
}

const RESTARTS: Record<string, string> = { none: 'no', 'on-failure': 'on-failure', any: 'always' }

function readMount(raw: Raw): FoundMount {
  const mount = dict(raw)
  const source = text(mount.Source)
  const driver = dict(dict(mount.VolumeOptions).DriverConfig)
  const kind = text(mount.Type) || 'volume'
  return {
    kind,
    name: kind === 'volume' ? source : '',
    source,
    target: text(mount.Target),
    driver: text(driver.Name) || (kind === 'volume' ? 'local' : ''),
    writable: !flag(mount.ReadOnly),
    propagation: pairs(mount.BindOptions).length > 0 ? text(dict(mount.BindOptions).Propagation) : '',
  }
}
