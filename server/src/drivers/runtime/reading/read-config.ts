import type { FoundConfig, FoundHealth } from './found.ts'
import { dict, flag, number, pairs, type Raw, text, textDict, texts, textsOrNull } from './plain.ts'

/** The configuration of a container or an image, in our words. */
export function readConfig(raw: Raw): FoundConfig {
  const config = dict(raw)
  return {
    image: text(config.Image),
    hostname: text(config.Hostname),
    domainname: text(config.Domainname),
    user: text(config.User),
    tty: flag(config.Tty),
    stdin: flag(config.OpenStdin),
    environment: texts(config.Env),
    command: textsOrNull(config.Cmd),
    entrypoint: textsOrNull(config.Entrypoint),
    workingDir: text(config.WorkingDir),
    labels: textDict(config.Labels),
    stopSignal: text(config.StopSignal),
    stopTimeout: typeof config.StopTimeout === 'number' ? config.StopTimeout : null,
    health: readHealth(config.Healthcheck),
    shell: texts(config.Shell),
    exposed: pairs(config.ExposedPorts).map(([key]) => portOf(key)),
    volumes: pairs(config.Volumes).map(([path]) => path),
    macAddress: text(config.MacAddress),
  }
}

export function readHealth(raw: Raw): FoundHealth | null {
  if (typeof raw !== 'object' || raw === null) return null
  const health = dict(raw)
  return {
    test: texts(health.Test),
    intervalNs: number(health.Interval),
    timeoutNs: number(health.Timeout),
    retries: number(health.Retries),
    startPeriodNs: number(health.StartPeriod),
    startIntervalNs: number(health.StartInterval),
  }
}

/** `8080/tcp`. */
export function portOf(key: string): { port: number; protocol: string } {
  const [port = '', protocol = 'tcp'] = key.split('/')
  return { port: Number.parseInt(port, 10) || 0, protocol: protocol.toLowerCase() }
}
