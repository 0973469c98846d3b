import { isIP, isIPv4 } from 'node:net'
import { isAbsolute, resolve } from 'node:path'
import { MODES, type Mode } from '@slipway/contract/endpoint'
import { z } from 'zod'
import { type ConfiguredLimits, LIMITS, NO_LIMITS, ofEachKind } from './core/limits/table.ts'
import { type KeyRing, parseKeyRing } from './drivers/crypto/key-ring.ts'
import { parseTsigKey, type TsigKey } from './drivers/dns-update/tsig.ts'
import { type GithostConfig, githostEnvironment, githostOf, isReadable } from './githost-config.ts'
import { type MailConfig, mailEnvironment, mailOf } from './mail-config.ts'

const flag = z.enum(['true', 'false']).transform((value) => value === 'true')
const count = z.coerce.number().int().positive()
/** A number, or `none`. */
const limit = z.union([z.literal('none').transform(() => null), count])
const HOUR_MS = 3600_000
/** A list, separated by commas. */
const addresses = (fits: (one: string) => unknown, otherwise: string) =>
  z
    .string()
    .transform((text) => text.split(',').map((one) => one.trim()))
    .refine((all) => all.every(fits), otherwise)

const LETS_ENCRYPT = 'https://acme-v02.api.letsencrypt.org/directory'

const Environment = z.object({
  SLIPWAY_DATABASE_URL: z.string().min(1),
  SLIPWAY_SECRET_KEY: z.string().min(1),
  SLIPWAY_MODE: z.enum(MODES).default('self_hosted'),
  SLIPWAY_HOST: z.string().default('127.0.0.1'),
  SLIPWAY_PORT: z.coerce.number().int().min(0).max(65535).default(4600),
  SLIPWAY_PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  SLIPWAY_DATA_DIR: z.string().default('.slipway'),
  SLIPWAY_DASHBOARD_DIR: z.string().optional(),
  SLIPWAY_TRUST_PROXY: z.string().optional(),
  SLIPWAY_DOCKER_SOCKET: z.string().default('/var/run/docker.sock'),
  SLIPWAY_LOCAL_ENGINE: flag.default(true),
  // Read before anything else is, by process/v8-heap.ts.
  SLIPWAY_V8_TUNING: z.enum(['on', 'off']).default('on'),
  SLIPWAY_LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  SLIPWAY_METRICS_TOKEN: z.string().min(16).optional(),
  SLIPWAY_DATABASE_CONNECTIONS: count.default(20),
  SLIPWAY_RATE_PER_ADDRESS: count.default(6000),
  SLIPWAY_RATE_PER_TOKEN: count.default(3000),
  SLIPWAY_STREAMS_PER_TOKEN: count.default(200),
  SLIPWAY_RATE_PER_LINK: count.default(30_000),
  SLIPWAY_STREAMS_PER_LINK: count.default(1000),
  SLIPWAY_BASE_DOMAIN: z
    .string()
    .regex(/^[a-z0-9.-]+$/)
    .default('localhost'),
  SLIPWAY_EDGE_IMAGE: z.string().default('caddy:2'),
  SLIPWAY_EDGE_HTTP_PORT: z.coerce.number().int().min(1).max(65535).default(80),
  SLIPWAY_EDGE_HTTPS_PORT: z.coerce.number().int().min(1).max(65535).default(443),
  SLIPWAY_EDGE_PUBLIC_HTTP_PORT: z.coerce.number().int().min(1).max(65535).optional(),
  SLIPWAY_EDGE_PUBLIC_HTTPS_PORT: z.coerce.number().int().min(1).max(65535).optional(),
  SLIPWAY_PLATFORM_SOCKET: z.string().refine(isAbsolute, 'must be an absolute path').optional(),
  SLIPWAY_PUBLIC_ADDRESSES: addresses(isIP, 'must be IP addresses, separated by commas').optional(),
  SLIPWAY_ALLOWED_NETWORKS: addresses(
    isNetwork,
    'must be networks such as 127.0.0.0/8, separated by commas',
  ).optional(),
  SLIPWAY_DNS_SERVERS: addresses(isNameServer, 'must be IP addresses, each with :port if it is not 53').optional(),
  SLIPWAY_TLS_CA_FILE: z.string().refine(isReadable, 'cannot be read').optional(),
  SLIPWAY_ACME_DIRECTORY: z.union([z.literal('off'), z.url({ protocol: /^https$/ })]).default(LETS_ENCRYPT),
  SLIPWAY_ACME_CA_FILE: z.string().refine(isReadable, 'cannot be read').optional(),
  SLIPWAY_ACME_CONTACT: z.email().optional(),
  SLIPWAY_ACME_EAB_KID: z.string().optional(),
  SLIPWAY_ACME_EAB_HMAC_KEY: z.string().optional(),
  SLIPWAY_DNS_UPDATE_SERVER: z.string().optional(),
  SLIPWAY_DNS_UPDATE_KEY: z
    .string()
    .refine((text) => parseTsigKey(text) !== null, 'must be ALGORITHM:NAME:SECRET')
    .optional(),
  SLIPWAY_DNS_UPDATE_URL: z
    .string()
    .refine(isWebhook, 'must begin with https://, or be on this machine; user and password may stand before the host')
    .optional(),
  SLIPWAY_BLOCKED_NETWORKS: z
    .union([
      z.literal('none').transform(() => []),
      addresses(isIPv4Network, 'must be none, or networks such as 169.254.0.0/16'),
    ])
    .default(['169.254.0.0/16']),
  SLIPWAY_BUILDX: z.string().default('/usr/libexec/docker/cli-plugins/docker-buildx'),
  SLIPWAY_HELPER_IMAGE: z.string().default('busybox:1'),
  SLIPWAY_GIT_CA_FILE: z.string().refine(isReadable, 'cannot be read').optional(),
  ...githostEnvironment,
  SLIPWAY_CLOUD_URL: z
    .string()
    .refine(isOrigin, 'must be https:// and a host, with its port if it has one: no path, user or query')
    .optional(),
  SLIPWAY_CLOUD_CA_FILE: z.string().refine(isReadable, 'cannot be read').optional(),
  ...mailEnvironment,
  SLIPWAY_LOCAL_SOURCES: z.string().refine(isAbsolute, 'must be an absolute path').optional(),
  SLIPWAY_INSTANCE: z
    .string()
    .regex(/^[a-z0-9-]{1,40}$/)
    .default('slipway'),
  SLIPWAY_LOG_MOVE_HOURS: z.coerce.number().min(0).default(24),
  SLIPWAY_LOG_KEEP_DAYS: z.coerce.number().min(0).default(365),
  BACKUP_ALLOW_LOCAL_DESTINATION: flag.default(false),
  BACKUP_LOCAL_ROOT: z.string().refine(isAbsolute, 'must be an absolute path').optional(),
  BACKUP_SERVER_ROOT: z.string().refine(isAbsolute, 'must be an absolute path').default('/var/lib/slipway/backups'),
  SLIPWAY_UPLOAD_FILES: count.default(50_000),
  SLIPWAY_UPLOAD_FILE_BYTES: count.default(2 * 1024 ** 3),
  SLIPWAY_UPLOAD_TOTAL_BYTES: count.default(5 * 1024 ** 3),
  SLIPWAY_LIMIT_PROJECTS: limit.default(LIMITS.projects.inCloud),
  SLIPWAY_LIMIT_MEMBERS: limit.default(LIMITS.members.inCloud),
  SLIPWAY_LIMIT_CONCURRENT_BUILDS: limit.default(LIMITS.concurrentBuilds.inCloud),
  SLIPWAY_LIMIT_MEMORY_BYTES: limit.default(LIMITS.memoryBytes.inCloud),
  SLIPWAY_LIMIT_UPLOAD_BYTES: limit.default(LIMITS.uploadBytes.inCloud),
  SLIPWAY_LIMIT_LOG_BYTES_PER_DAY: limit.default(LIMITS.logBytesPerDay.inCloud),
})

export type Config = {
  mode: Mode
  databaseUrl: string
  databaseConnections: number
  keys: KeyRing
  host: string
  port: number
  publicUrl: string
  dataDir: string
  /** Where the built dashboard lies; null: where a release has it. */
  dashboardDir: string | null
  trustProxy: string | null
  /** Socket of this machine's engine, or null where no organization may have it. */
  localEngine: string | null
  logLevel: string
  metricsToken: string | null
  /** Free host names end with this. */
  baseDomain: string
  edge: EdgeConfig
  /** A unix socket of this server's in a folder of its own, by which the edge of this machine leads its public address here; null: none. */
  platformSocket: string | null
  /** Where the world finds the edge of this machine; null: at its own public addresses, if it has any. */
  publicAddresses: string[] | null
  /** Connected to although they are local or private, whoever names a host there. */
  allowedNetworks: string[]
  /** Who is asked where names lead; null: whoever this machine asks. */
  dnsServers: string[] | null
  /** Authorities that certificates of domains may come from, beside those this machine knows. */
  tlsCaFile: string | null
  /** Where certificates come from; null: from nowhere. */
  acme: AcmeConfig | null
  /** Who changes records of our own zones, for wildcards; null: nobody. */
  dnsUpdate: DnsUpdateConfig | null
  /** Networks that containers on servers do not reach: a cloud's metadata is there. */
  blockedNetworks: string[]
  /** The program docker-buildx, and an image that every engine of ours has. */
  builder: { buildx: string; helperImage: string }
  /** Authorities of git hosts that this machine does not know of itself. */
  gitCaFile: string | null
  githost: GithostConfig
  /** A hosted cloud that this instance works with, without a slash at its end; null: none. */
  cloudUrl: string | null
  /** Authorities that it may be vouched for by, beside those this machine knows. */
  cloudCaFile: string | null
  /** Who takes our mail; null: none is sent. */
  mail: MailConfig | null
  /** A directory whose folders may be looked at as sources; null: none. */
  localSources: string | null
  /** Marks what is ours on an engine that others use too. */
  instance: string
  /** Requests per minute. */
  rate: { perAddress: number; perToken: number }
  /** Open streams of one token or session, in each process. */
  streamsPerToken: number
  /** The same of the credential of a linked instance, with which everybody there comes: requests per minute, open streams. */
  perLink: { rate: number; streams: number }
  /** After the end of a deployment: when its log moves to the archive, and until when it is kept there. */
  logs: { moveAfterMs: number; keepMs: number }
  upload: { files: number; fileBytes: number; totalBytes: number }
  /** Of each organization; in self-hosted mode none but what the operator sets for one. */
  limits: ConfiguredLimits
  /** Whether backups may stay on this machine and below which folder; and where they lie on other servers. */
  backups: { allowLocal: boolean; localRoot: string | null; serverRoot: string }
}

type EdgeConfig = {
  image: string
  httpPort: number
  httpsPort: number
  /** What visitors see: another program may be in front of the edge. */
  publicHttpPort: number
  publicHttpsPort: number
}

type AcmeConfig = {
  directoryUrl: string
  /** Authorities that the CA's own address may be vouched for by, beside those this machine knows. */
  caFile: string | null
  contact: string | null
  eab: { kid: string; hmacKey: string } | null
}

/** A name server that takes changes, or a webhook that makes them. */
type DnsUpdateConfig =
  | { server: string; key: TsigKey }
  | { url: string; login: { user: string; password: string } | null }

/** Reads the environment once. What it says when something is wrong is meant for the operator's terminal. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const parsed = Environment.safeParse(withoutEmpty(env))
  if (!parsed.success) throw new Error(explain(parsed.error))
  const e = parsed.data
  return {
    mode: e.SLIPWAY_MODE,
    databaseUrl: e.SLIPWAY_DATABASE_URL,
    databaseConnections: e.SLIPWAY_DATABASE_CONNECTIONS,
    keys: parseKeyRing(e.SLIPWAY_SECRET_KEY),
    host: e.SLIPWAY_HOST,
    port: e.SLIPWAY_PORT,
    publicUrl: (e.SLIPWAY_PUBLIC_URL ?? `http://${reachable(e.SLIPWAY_HOST)}:${e.SLIPWAY_PORT}`).replace(/\/+$/, ''),
    dataDir: resolve(e.SLIPWAY_DATA_DIR),
    dashboardDir: e.SLIPWAY_DASHBOARD_DIR === undefined ? null : resolve(e.SLIPWAY_DASHBOARD_DIR),
    trustProxy: e.SLIPWAY_TRUST_PROXY ?? null,
    localEngine: e.SLIPWAY_MODE === 'self_hosted' && e.SLIPWAY_LOCAL_ENGINE ? e.SLIPWAY_DOCKER_SOCKET : null,
    logLevel: e.SLIPWAY_LOG_LEVEL,
    baseDomain: e.SLIPWAY_BASE_DOMAIN,
    edge: edgeOf(e),
    platformSocket: e.SLIPWAY_PLATFORM_SOCKET ?? null,
    publicAddresses: e.SLIPWAY_PUBLIC_ADDRESSES ?? null,
    allowedNetworks: e.SLIPWAY_ALLOWED_NETWORKS ?? [],
    dnsServers: e.SLIPWAY_DNS_SERVERS ?? null,
    tlsCaFile: e.SLIPWAY_TLS_CA_FILE === undefined ? null : resolve(e.SLIPWAY_TLS_CA_FILE),
    acme: acmeOf(e),
    dnsUpdate: dnsUpdateOf(e),
    blockedNetworks: e.SLIPWAY_BLOCKED_NETWORKS,
    builder: { buildx: e.SLIPWAY_BUILDX, helperImage: e.SLIPWAY_HELPER_IMAGE },
    gitCaFile: e.SLIPWAY_GIT_CA_FILE === undefined ? null : resolve(e.SLIPWAY_GIT_CA_FILE),
    githost: githostOf(e),
    cloudUrl: e.SLIPWAY_CLOUD_URL?.replace(/\/+$/, '') ?? null,
    cloudCaFile: e.SLIPWAY_CLOUD_CA_FILE === undefined ? null : resolve(e.SLIPWAY_CLOUD_CA_FILE),
    mail: mailOf(e),
    localSources: e.SLIPWAY_MODE === 'self_hosted' ? (e.SLIPWAY_LOCAL_SOURCES ?? null) : null,
    instance: e.SLIPWAY_INSTANCE,
    metricsToken: e.SLIPWAY_METRICS_TOKEN ?? null,
    rate: { perAddress: e.SLIPWAY_RATE_PER_ADDRESS, perToken: e.SLIPWAY_RATE_PER_TOKEN },
    streamsPerToken: e.SLIPWAY_STREAMS_PER_TOKEN,
    perLink: { rate: e.SLIPWAY_RATE_PER_LINK, streams: e.SLIPWAY_STREAMS_PER_LINK },
    logs: { moveAfterMs: e.SLIPWAY_LOG_MOVE_HOURS * HOUR_MS, keepMs: e.SLIPWAY_LOG_KEEP_DAYS * 24 * HOUR_MS },
    upload: {
      files: e.SLIPWAY_UPLOAD_FILES,
      fileBytes: e.SLIPWAY_UPLOAD_FILE_BYTES,
      totalBytes: e.SLIPWAY_UPLOAD_TOTAL_BYTES,
    },
    limits: e.SLIPWAY_MODE === 'cloud' ? ofEachKind((kind) => e[LIMITS[kind].setting]) : NO_LIMITS,
    backups: {
      allowLocal: e.BACKUP_ALLOW_LOCAL_DESTINATION,
      localRoot: e.BACKUP_LOCAL_ROOT === undefined ? null : resolve(e.BACKUP_LOCAL_ROOT),
      serverRoot: resolve(e.BACKUP_SERVER_ROOT),
    },
  }
}

const edgeOf = (e: z.output<typeof Environment>): EdgeConfig => ({
  image: e.SLIPWAY_EDGE_IMAGE,
  httpPort: e.SLIPWAY_EDGE_HTTP_PORT,
  httpsPort: e.SLIPWAY_EDGE_HTTPS_PORT,
  publicHttpPort: e.SLIPWAY_EDGE_PUBLIC_HTTP_PORT ?? e.SLIPWAY_EDGE_HTTP_PORT,
  publicHttpsPort: e.SLIPWAY_EDGE_PUBLIC_HTTPS_PORT ?? e.SLIPWAY_EDGE_HTTPS_PORT,
})

function acmeOf(e: z.output<typeof Environment>): AcmeConfig | null {
  if (e.SLIPWAY_ACME_DIRECTORY === 'off') return null
  const { SLIPWAY_ACME_EAB_KID: kid, SLIPWAY_ACME_EAB_HMAC_KEY: hmacKey } = e
  return {
    directoryUrl: e.SLIPWAY_ACME_DIRECTORY,
    caFile: e.SLIPWAY_ACME_CA_FILE === undefined ? null : resolve(e.SLIPWAY_ACME_CA_FILE),
    contact: e.SLIPWAY_ACME_CONTACT ?? null,
    eab: kid === undefined || hmacKey === undefined ? null : { kid, hmacKey },
  }
}

function dnsUpdateOf(e: z.output<typeof Environment>): DnsUpdateConfig | null {
  const { SLIPWAY_DNS_UPDATE_SERVER: server, SLIPWAY_DNS_UPDATE_KEY: text } = e
  const key = text === undefined ? null : parseTsigKey(text)
  if (e.SLIPWAY_DNS_UPDATE_URL !== undefined) return webhookOf(new URL(e.SLIPWAY_DNS_UPDATE_URL))
  return server === undefined || key === null ? null : { server, key }
}

function webhookOf({ origin, pathname, username, password }: URL): DnsUpdateConfig {
  const login = username === '' ? null : { user: decodeURIComponent(username), password: decodeURIComponent(password) }
  return { url: `${origin}${pathname}`, login }
}

/** What is sent there opens a zone: only to this machine without TLS. */
function isWebhook(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname))
}

/** A host and nothing more: which paths there are we know, and what stands before an @ would go along with every call. */
function isOrigin(text: string): boolean {
  return /^https:\/\/[^/?#@\\\s]+\/*$/.test(text) && URL.canParse(text)
}

/** `1.2.3.4`, `1.2.3.4:53`, `2001::1` or `[2001::1]:53`. */
function isNameServer(text: string): boolean {
  const [, bracketed, plain] = /^(?:\[(.*)\]|([\d.]+)):\d{1,5}$/.exec(text) ?? []
  return isIP(bracketed ?? plain ?? text) !== 0
}

/** An address, or a network as `address/bits`. */
function isNetwork(text: string): boolean {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  return isIP(address) !== 0 && !address.includes('%') && Number(bits ?? 0) <= (isIP(address) === 4 ? 32 : 128)
}

/** `169.254.0.0/16` */
function isIPv4Network(text: string): boolean {
  const [base = '', bits = ''] = text.split('/')
  return isIPv4(base) && /^\d{1,2}$/.test(bits) && Number(bits) <= 32
}

/** A host to listen on, as one to ask: every address means at least this machine's own. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

/** `NAME=` in an env file means "not set". */
const withoutEmpty = (env: NodeJS.ProcessEnv) => Object.fromEntries(Object.entries(env).filter(([, value]) => value))

function explain(error: z.ZodError): string {
  const lines = error.issues.map((issue) => {
    const name = String(issue.path[0])
    const missing = issue.code === 'invalid_type' && issue.input === undefined
    return `  ${name}: ${missing ? 'is not set' : issue.message}${HOW_TO[name] ? `. ${HOW_TO[name]}` : ''}`
  })
  return `Slipway cannot start: its environment is not right.\n${lines.join('\n')}`
}

const HOW_TO: Record<string, string> = {
  SLIPWAY_CLOUD_URL: 'Give its address alone, such as https://cloud.example.com',
  SLIPWAY_DATABASE_URL: 'Give the address of a PostgreSQL database, such as postgres://user:password@host:5432/slipway',
  SLIPWAY_DNS_UPDATE_KEY: 'Take it from the key of the name server, such as hmac-sha256:slipway:c2VjcmV0',
  SLIPWAY_SMTP_URL: 'Give the address of a mail server, such as smtps://user:password@mail.example.com',
  SLIPWAY_SECRET_KEY: 'Make one with `openssl rand -hex 32` and keep it safe: what is sealed cannot be read without it',
}
