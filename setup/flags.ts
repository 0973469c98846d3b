import { parseArgs } from 'node:util'

const VERBS = [
  'check',
  'install',
  'upgrade',
  'downgrade',
  'backup',
  'restore',
  'bring-back',
  'drill',
  'uninstall',
] as const
type Verb = (typeof VERBS)[number]

const OPTIONS = {
  yes: { type: 'boolean', short: 'y', default: false },
  json: { type: 'boolean', default: false },
  'dry-run': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
  email: { type: 'string' },
  organization: { type: 'string' },
  url: { type: 'string' },
  domain: { type: 'string' },
  'base-domain': { type: 'string' },
  'http-port': { type: 'string' },
  'https-port': { type: 'string' },
  'database-url': { type: 'string' },
  'advertise-addr': { type: 'string' },
  offline: { type: 'string' },
  set: { type: 'string', multiple: true },
  'passphrase-file': { type: 'string' },
  'token-file': { type: 'string' },
  everything: { type: 'boolean', default: false },
  confirm: { type: 'string' },
  keep: { type: 'string' },
  destination: { type: 'string' },
  nightly: { type: 'boolean', default: false },
} as const

export type Flags = {
  verb: Verb
  /** What the verb is about: a version or a file. */
  object: string | null
  yes: boolean
  json: boolean
  dryRun: boolean
  email: string | null
  organization: string | null
  /** Where people reach the platform, through a proxy of theirs. */
  url: string | null
  /** The platform's own name, which its edge leads to it with a certificate. */
  domain: string | null
  baseDomain: string | null
  httpPort: number | null
  httpsPort: number | null
  databaseUrl: string | null
  advertiseAddress: string | null
  /** A folder with images, and docker-buildx where the distribution has none. */
  offline: string | null
  /** More settings of the server, by name. */
  set: Record<string, string>
  passphraseFile: string | null
  /** With an access token of whoever may deploy. */
  tokenFile: string | null
  everything: boolean
  confirm: string | null
  keep: number
  /** The id of a backup destination that the platform knows: a backup is sent there, too. */
  destination: string | null
  /** Not only this one: those of every night. */
  nightly: boolean
}

export class WrongUse extends Error {}

export const USAGE = `slipway setup VERB [flags]

  check                  look at this machine; changes nothing
  install                make this machine run Slipway, or finish what was begun
  upgrade                replace the version that runs by this one, without a refused connection
  downgrade VERSION      go back to a version that is still here
  backup [FILE]          everything but the data of projects' volumes, as one sealed file
  restore FILE           bring a backup back, on this machine or on a new one
  bring-back             deploy anew what was live, after a move to a machine that has none of it
  drill [FILE]           restore the newest backup, or FILE, beside what runs, to see that it can be done
  uninstall              remove the platform; what it deployed keeps running (--everything: that too)

  --yes -y               ask nothing                --dry-run       show the plan and end
  --json                 for programs, on stdout    --email ADDRESS of the first owner
  --url URL              where people reach the platform: the proxy in front of it
  --domain NAME          of the platform itself: its edge leads it here, with a certificate
  --base-domain NAME     free names of projects end with it
  --http-port N          --https-port N  of the edge   --database-url URL  instead of a cluster of its own
  --advertise-addr IP    of the Swarm that is made     --offline DIR  images and docker-buildx from there
  --set NAME=VALUE       one more setting of the server; may be repeated
  --passphrase-file F    of a backup, instead of this installation's own
  --token-file F         with bring-back: an access token that may deploy (or SLIPWAY_TOKEN)
  --confirm NAME         with uninstall --everything: the host's name, instead of being asked
  --keep N               with backup: so many of this folder's stay (default 7)
  --destination ID       with backup: send it to a backup destination, too (dst_…)
  --nightly              with --destination: from now on every night

Every flag but the verb can be given as SLIPWAY_INSTALL_…: SLIPWAY_INSTALL_HTTP_PORT=8080.`

/** Flags win over the environment; what is unknown is an error, never ignored. */
export function readFlags(argv: string[], env: NodeJS.ProcessEnv): Flags | 'help' {
  const { values, positionals } = parse([...fromEnvironment(env), ...argv])
  if (values.help) return 'help'
  const [verb = '', object = null, more] = positionals
  if (!isVerb(verb)) throw new WrongUse(`There is no "slipway setup ${verb}".\n\n${USAGE}`)
  if (more !== undefined) throw new WrongUse(`"${more}" is too much. ${verb} takes one thing.`)
  return {
    verb,
    object,
    yes: values.yes,
    json: values.json,
    dryRun: values['dry-run'],
    email: matching(values.email, /^\S+@\S+$/, '--email must be an address such as you@example.com.'),
    organization: values.organization ?? null,
    url: matching(values.url, /^https?:\/\/[^/\s]+$/, '--url must be like https://slipway.example.com.'),
    domain: domain(values.domain, values.url),
    baseDomain: matching(
      values['base-domain'],
      /^[a-z0-9.-]+$/,
      '--base-domain must be a name such as apps.example.com.',
    ),
    httpPort: port(values['http-port'], '--http-port'),
    httpsPort: port(values['https-port'], '--https-port'),
    databaseUrl: matching(
      values['database-url'],
      /^postgres(ql)?:\/\/[^\s"'\\]+$/,
      '--database-url must begin with postgres://.',
    ),
    advertiseAddress: matching(values['advertise-addr'], /^[0-9a-f.:]+$/i, '--advertise-addr must be an IP address.'),
    offline: values.offline ?? null,
    set: settings(values.set ?? []),
    passphraseFile: values['passphrase-file'] ?? null,
    tokenFile: values['token-file'] ?? null,
    everything: values.everything,
    confirm: values.confirm ?? null,
    keep: Number(matching(values.keep, /^[1-9]\d{0,2}$/, '--keep must be a number, at least 1.') ?? 7),
    destination: matching(
      values.destination,
      /^dst_[0-9a-z]+$/,
      '--destination must be the id of a backup destination, such as dst_01k2v9r6c8h3n5q7s9t0w2x4y6.',
    ),
    nightly: values.nightly,
  }
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, allowPositionals: true, options: OPTIONS })
  } catch (error) {
    throw new WrongUse(`${(error as Error).message}\n\n${USAGE}`)
  }
}

const isVerb = (word: string): word is Verb => VERBS.some((verb) => verb === word)

function fromEnvironment(env: NodeJS.ProcessEnv): string[] {
  return Object.entries(OPTIONS).flatMap(([name, option]) => {
    const value = env[`SLIPWAY_INSTALL_${name.toUpperCase().replaceAll('-', '_')}`]
    if (value === undefined || value === '') return []
    if (option.type === 'boolean') return value === 'true' || value === '1' ? [`--${name}`] : []
    return [`--${name}=${value}`]
  })
}

function matching(value: string | undefined, form: RegExp, otherwise: string): string | null {
  if (value === undefined) return null
  if (!form.test(value)) throw new WrongUse(otherwise)
  return value
}

function domain(value: string | undefined, url: string | undefined): string | null {
  if (value !== undefined && url !== undefined)
    throw new WrongUse('--domain and --url exclude each other: the edge leads the name here, or a proxy of yours does.')
  const name = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/
  return matching(value, name, '--domain must be a name such as slipway.example.com.')
}

function port(value: string | undefined, flag: string): number | null {
  if (value === undefined) return null
  const number = Number(value)
  if (!Number.isInteger(number) || number < 1 || number > 65_535)
    throw new WrongUse(`${flag} must be a port, 1 to 65535.`)
  return number
}

function settings(all: string[]): Record<string, string> {
  return Object.fromEntries(
    all.map((one) => {
      const [, name, value] = /^((?:SLIPWAY|BACKUP)_[A-Z0-9_]+)=([^\n"'\\]*)$/.exec(one) ?? []
      if (name === undefined || value === undefined)
        throw new WrongUse(`--set ${one}: must be like SLIPWAY_LOG_LEVEL=debug, without quotes and backslashes.`)
      return [name, value]
    }),
  )
}
