import type { EnginePart, GithostPart, HostPart, Lab } from './state.ts'

/** What the running parts are called in the environment; lab/README.md lists the names. */
export function environment(lab: Lab): Record<string, string> {
  return {
    ...(lab.postgres && { SLIPWAY_LAB_POSTGRES_URL: lab.postgres.url }),
    ...(lab.engine && engine(lab.engine)),
    ...(lab.host1 && host('SLIPWAY_LAB_HOST1', lab.host1)),
    ...(lab.host2 && host('SLIPWAY_LAB_HOST2', lab.host2)),
    ...(lab.registry && { SLIPWAY_LAB_REGISTRY: lab.registry.address }),
    ...(lab.caddy && { SLIPWAY_LAB_CADDY: lab.caddy.program }),
    ...(lab.githost && githost(lab.githost)),
  }
}

export function exportLines(variables: Record<string, string>): string {
  const quoted = (value: string) => (/^[\w@%+=:,./-]*$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`)
  return Object.entries(variables)
    .map(([name, value]) => `export ${name}=${quoted(value)}\n`)
    .join('')
}

function engine(part: EnginePart): Record<string, string> {
  return {
    SLIPWAY_LAB_DOCKER_HOST: part.dockerHost,
    SLIPWAY_LAB_ENGINE_ADDRESS: part.address,
    SLIPWAY_LAB_GATEWAY_ADDRESS: part.gateway,
    SLIPWAY_LAB_DOCKER: part.docker,
    SLIPWAY_LAB_BUILDX: part.buildx,
    DOCKER_CONFIG: part.dockerConfig,
  }
}

function githost(part: GithostPart): Record<string, string> {
  return {
    SLIPWAY_LAB_GITHOST: part.host,
    SLIPWAY_LAB_GITHOST_PROXY: part.proxy,
    SLIPWAY_LAB_GITHOST_CONTROL: part.control,
    SLIPWAY_LAB_GITHOST_CA_FILE: part.caFile,
    SLIPWAY_LAB_GH: part.gh,
  }
}

function host(name: string, part: HostPart): Record<string, string> {
  return {
    [`${name}_ADDRESS`]: part.address,
    [`${name}_PORT`]: String(part.port),
    [`${name}_USER`]: part.user,
    [`${name}_SOCKET`]: part.remoteSocket,
    [`${name}_KEY_FILE`]: part.keyFile,
    [`${name}_HOST_KEY_FILE`]: part.hostKeyFile,
    [`${name}_DOCKER_HOST`]: part.dockerHost,
  }
}
