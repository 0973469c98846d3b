import type { FoundContainer, FoundHost, FoundMount } from './found.ts'
import { dict, flag, list, number, pairs, type Raw, text, textDict, texts } from './plain.ts'
import { portOf, readConfig } from './read-config.ts'

/** What the engine says of one container, in our words. */
export function readContainer(raw: Raw): FoundContainer {
  const answer = dict(raw)
  const settings = dict(answer.NetworkSettings)
  const state = dict(answer.State)
  return {
    id: text(answer.Id),
    name: text(answer.Name).replace(/^\//, ''),
    imageId: text(answer.Image),
    run: readConfig(answer.Config),
    host: readHost(answer.HostConfig),
    // The engine keeps them by name, and answers them in no order.
    mounts: list(answer.Mounts)
      .map(readMount)
      .toSorted((a, b) => (a.target < b.target ? -1 : 1)),
    networks: pairs(settings.Networks).map(([name, one]) => ({
      name,
      aliases: texts(dict(one).Aliases),
      fixedAddress: pairs(dict(one).IPAMConfig).length > 0,
    })),
    openPorts: bindings(settings.Ports).map(({ published, ...port }) => ({
      ...port,
      published: Number(published) || 0,
    })),
    state: {
      status: text(state.Status),
      exitCode: number(state.ExitCode),
      health: text(dict(state.Health).Status) || null,
    },
  }
}

function readMount(raw: Raw): FoundMount {
  const mount = dict(raw)
  return {
    kind: text(mount.Type),
    name: text(mount.Name),
    source: text(mount.Source),
    target: text(mount.Destination),
    driver: text(mount.Driver),
    writable: flag(mount.RW),
    propagation: text(mount.Propagation),
  }
}

const bindings = (raw: Raw): FoundHost['ports'] =>
  pairs(raw).flatMap(([key, all]) => {
    const { port: target, protocol } = portOf(key)
    return list(all).map((one) => ({
      target,
      protocol,
      address: text(dict(one).HostIp),
      published: text(dict(one).HostPort),
    }))
  })

function readHost(raw: Raw): FoundHost {
  const host = dict(raw)
  const restart = dict(host.RestartPolicy)
  const log = dict(host.LogConfig)
  return {
    networkMode: text(host.NetworkMode),
    ports: bindings(host.PortBindings),
    publishAll: flag(host.PublishAllPorts),
    restart: { name: text(restart.Name) || 'no', maxRetries: number(restart.MaximumRetryCount) },
    autoRemove: flag(host.AutoRemove),
    volumesFrom: texts(host.VolumesFrom),
    mountsAsked: list(host.Mounts).map(readAsked),
    tmpfs: textDict(host.Tmpfs),
    capAdd: texts(host.CapAdd),
    capDrop: texts(host.CapDrop),
    dns: texts(host.Dns),
    dnsOptions: texts(host.DnsOptions),
    dnsSearch: texts(host.DnsSearch),
    hosts: texts(host.ExtraHosts),
    groups: texts(host.GroupAdd),
    links: texts(host.Links),
    ipcMode: text(host.IpcMode),
    pidMode: text(host.PidMode),
    utsMode: text(host.UTSMode),
    usernsMode: text(host.UsernsMode),
    cgroupParent: text(host.CgroupParent),
    privileged: flag(host.Privileged),
    readOnly: flag(host.ReadonlyRootfs),
    securityOptions: texts(host.SecurityOpt),
    runtime: text(host.Runtime),
    sysctls: textDict(host.Sysctls),
    ulimits: list(host.Ulimits).map(readUlimit),
    devices: list(host.Devices).length + texts(host.DeviceCgroupRules).length,
    deviceRequests: list(host.DeviceRequests).length,
    ...amounts(host),
    oomKillDisable: flag(host.OomKillDisable),
    init: flag(host.Init),
    storageOptions: pairs(host.StorageOpt).length > 0,
    log: { driver: text(log.Type), options: textDict(log.Config) },
  }
}

const amounts = (host: Record<string, Raw>) => ({
  memory: number(host.Memory),
  memoryReservation: number(host.MemoryReservation),
  memorySwap: number(host.MemorySwap),
  nanoCpus: number(host.NanoCpus),
  cpuQuota: number(host.CpuQuota),
  cpuPeriod: number(host.CpuPeriod),
  cpuShares: number(host.CpuShares),
  cpuset: text(host.CpusetCpus) || text(host.CpusetMems),
  pids: number(host.PidsLimit),
  shmBytes: number(host.ShmSize),
  oomScoreAdj: number(host.OomScoreAdj),
})

export function readUlimit(raw: Raw) {
  const one = dict(raw)
  return { name: text(one.Name), soft: number(one.Soft), hard: number(one.Hard) }
}

/** What a mount was asked for beyond its place, which the list of mounts does not repeat. */
export function readAsked(raw: Raw): FoundHost['mountsAsked'][number] {
  const mount = dict(raw)
  const volume = dict(mount.VolumeOptions)
  const memory = dict(mount.TmpfsOptions)
  return {
    target: text(mount.Target),
    noCopy: flag(volume.NoCopy),
    subpath: text(volume.Subpath) || null,
    sizeBytes: number(memory.SizeBytes),
    mode: number(memory.Mode),
  }
}

/** A host configuration of which nothing is said. */
export const emptyHost = (): FoundHost => readHost({})
