import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stateDir } from './paths.ts'

export interface PostgresPart {
  url: string
  host: string
  port: number
  log: string
}

export interface EnginePart {
  /** For DOCKER_HOST. */
  dockerHost: string
  socket: string
  /** Published ports answer here. */
  address: string
  /** The machine that runs the tests, as seen from inside. */
  gateway: string
  dockerConfig: string
  /** The client programs of the same version. */
  docker: string
  buildx: string
  log: string
}

export interface HostPart extends EnginePart {
  port: number
  user: string
  keyFile: string
  hostKeyFile: string
  /** The Docker socket as an SSH session on this host sees it. */
  remoteSocket: string
}

interface RegistryPart {
  /** As the engines of the lab name it: `address/repository:tag`. */
  address: string
  log: string
}

interface CaddyPart {
  program: string
  image: string
}

/** Programs, not daemons: each test starts a CA of its own with `startCa`. */
interface AcmePart {
  pebble: string
  dns: string
}

export interface S3Part {
  endpoint: string
  tlsEndpoint: string
  /** Whom to trust at the TLS endpoint. */
  roots: string
  region: string
  main: S3Login
  other: S3Login
  small: S3Login & { quotaBytes: number }
  log: string
}

interface S3Login {
  accessKeyId: string
  secretAccessKey: string
}

export interface SftpPart {
  address: string
  port: number
  user: string
  readOnlyUser: string
  fullUser: string
  /** The same for all three. */
  password: string
  keyFile: string
  lockedKeyFile: string
  passphrase: string
  /** Public halves; Ed25519, ECDSA, RSA. */
  hostKeyFiles: string[]
  /** Where the first user starts, as this machine sees it too. */
  home: string
  log: string
}

export interface GithostPart {
  /** Its name; what is asked for through the proxy reaches it. */
  host: string
  url: string
  proxy: string
  control: string
  caFile: string
  /** Debian's client of this release and of the next. */
  gh: string
  newerGh: string
  log: string
}

export interface Lab {
  postgres?: PostgresPart
  engine?: EnginePart
  host1?: HostPart
  host2?: HostPart
  registry?: RegistryPart
  caddy?: CaddyPart
  acme?: AcmePart
  s3?: S3Part
  sftp?: SftpPart
  githost?: GithostPart
}

const file = join(stateDir, 'lab.json')

export function readLab(): Lab {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return {}
  }
}

export function record(parts: Lab): void {
  mkdirSync(stateDir, { recursive: true })
  writeFileSync(`${file}.part`, `${JSON.stringify({ ...readLab(), ...parts }, null, 2)}\n`)
  renameSync(`${file}.part`, file)
}
