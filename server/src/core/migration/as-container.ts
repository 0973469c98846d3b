import type { FoundContainer, FoundImage, FoundNetwork, FoundService } from '../../drivers/runtime/reading/found.ts'

/**
 * A Swarm service as one of its containers would be: what the spec leaves out is the image's own. Its tasks are never looked at, for they
 * come and go.
 */
export function asContainer(
  service: FoundService,
  image: FoundImage | null,
  networks: ReadonlyMap<string, FoundNetwork>,
): FoundContainer {
  const { run, host, mounts, name, stopGraceMs } = service
  const base = image?.config
  const said = new Set(run.environment.map((line) => line.split('=', 1)[0]))
  const inherited = (base?.environment ?? []).filter((line) => !said.has(line.split('=', 1)[0]))
  return {
    id: '',
    name,
    imageId: image?.id ?? '',
    run: {
      ...run,
      // Swarm writes the digest behind the tag; what people call it is in front.
      image: run.image.replace(/@sha256:[0-9a-f]{64}$/, ''),
      environment: [...inherited, ...run.environment],
      entrypoint: run.entrypoint ?? base?.entrypoint ?? null,
      command: run.command ?? (run.entrypoint === null ? (base?.command ?? null) : null),
      user: run.user || (base?.user ?? ''),
      workingDir: run.workingDir || (base?.workingDir ?? ''),
      labels: { ...base?.labels, ...run.labels },
      stopSignal: run.stopSignal || (base?.stopSignal ?? ''),
      stopTimeout: stopGraceMs === null ? null : stopGraceMs / 1000,
      health: run.health ?? base?.health ?? null,
      shell: base?.shell ?? [],
      exposed: [...(base?.exposed ?? []), ...host.ports.map(({ target, protocol }) => ({ port: target, protocol }))],
    },
    host: { ...host, networkMode: '' },
    mounts,
    networks: service.networks.map(({ id, aliases }) => ({
      name: networks.get(id)?.name ?? id,
      aliases,
      fixedAddress: false,
    })),
    openPorts: host.ports.map(({ published, ...port }) => ({ ...port, published: Number(published) || 0 })),
    state: { status: service.replicas > 0 ? 'running' : 'stopped', exitCode: 0, health: null },
  }
}
