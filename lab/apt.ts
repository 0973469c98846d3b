import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { cacheDir } from './paths.ts'
import { type Argv, run } from './run.ts'

const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg'
const home = join(cacheDir, 'apt')

/** Brings the lab's own package lists up to date; the machine's lists and other repositories are not touched. */
export async function refreshLists(): Promise<void> {
  const release = readFileSync('/etc/os-release', 'utf8').match(/^VERSION_CODENAME=(\w+)$/m)?.[1]
  if (release !== 'bookworm')
    throw new Error(`the lab's parts are taken from Debian 12 (bookworm); this machine is ${release ?? 'not Debian'}`)
  if (!existsSync(keyring)) throw new Error(`${keyring} is missing: apt-get install debian-archive-keyring`)
  const sources = debianSources()
  const main = sources.find(({ suites }) => suites.includes(release))
  if (!main) throw new Error(`no Debian ${release} main source is enabled in /etc/apt; add one, then run bin/lab again`)
  const security = sources.find(({ suites }) => suites.includes(`${release}-security`))
  for (const dir of ['parts', 'lists/partial', 'cache/archives/partial'])
    mkdirSync(join(home, dir), { recursive: true })
  const suites = [release, `${release}-updates`, 'trixie', 'trixie-backports']
  const stanzas = [stanza(main.uri, suites), ...(security ? [stanza(security.uri, [`${release}-security`])] : [])]
  writeFileSync(join(home, 'parts', 'lab.sources'), stanzas.join('\n'))
  await run(aptGet('update', '--error-on=any'))
}

/** Downloads exactly these packages, e.g. `docker.io/trixie`, without what they depend on. */
export async function downloadOnly(packages: string[], into: string): Promise<void> {
  mkdirSync(into, { recursive: true })
  await run(aptGet('download', ...packages), { cwd: into, deadlineMs: 600_000 })
}

/** Downloads these packages and those they depend on, except what is installed on the machine already. */
export async function downloadMissing(packages: string[], into: string): Promise<void> {
  mkdirSync(join(into, 'partial'), { recursive: true })
  const install = ['install', '--download-only', '--yes', '--no-install-recommends', ...packages]
  await run(aptGet('-o', `Dir::Cache::archives=${into}/`, ...install), { deadlineMs: 600_000 })
}

/** For data that programs read at fixed places: nothing here starts a service. */
export async function installData(packages: string[]): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  await run(aptGet('install', '--yes', '--no-install-recommends', ...packages), { env, deadlineMs: 300_000 })
}

function aptGet(...args: string[]): Argv {
  const settings = [
    'Dir::Etc::SourceList=/dev/null',
    `Dir::Etc::SourceParts=${home}/parts`,
    'Dir::Etc::Preferences=/dev/null',
    'Dir::Etc::PreferencesParts=/dev/null',
    `Dir::State::Lists=${home}/lists`,
    `Dir::Cache=${home}/cache`,
    'APT::Default-Release=bookworm',
    'APT::Sandbox::User=root', // the checkout may be closed to the _apt user; signatures are checked all the same
    'Acquire::Languages=none',
    'Acquire::Retries=3',
    ...(args.includes('--download-only') ? ['Debug::NoLocking=true'] : []),
  ]
  return ['apt-get', '--quiet', ...settings.flatMap((setting) => ['-o', setting]), ...args]
}

function stanza(uri: string, suites: string[]): string {
  return `Types: deb\nURIs: ${uri}\nSuites: ${suites.join(' ')}\nComponents: main\nSigned-By: ${keyring}\n`
}

interface Source {
  uri: string
  suites: string[]
}

/** The mirrors this machine uses for Debian itself, read from its own sources. */
function debianSources(): Source[] {
  const parts = readdirSync('/etc/apt/sources.list.d').map((file) => join('/etc/apt/sources.list.d', file))
  const files = ['/etc/apt/sources.list', ...parts].filter((file) => existsSync(file))
  const sources = files.flatMap((file) => {
    const text = readFileSync(file, 'utf8').replaceAll(/^\s*#.*\n?/gm, '')
    if (basename(file).endsWith('.sources')) return text.split(/\n\s*\n/).flatMap(deb822)
    return basename(file).endsWith('.list') ? text.split('\n').flatMap(oneLine) : []
  })
  // Third parties name their suites after Debian's, too; Debian's own archive ends in /debian or /debian-security.
  return sources.sort((a, b) => Number(debianPath(b.uri)) - Number(debianPath(a.uri)))
}

function debianPath(uri: string): boolean {
  return /\/debian(-security)?\/?$/.test(uri)
}

function deb822(text: string): Source[] {
  const field = (name: string) =>
    text
      .match(new RegExp(`^${name}:(.*(?:\\n[ \\t].*)*)`, 'mi'))?.[1]
      ?.trim()
      .split(/\s+/)
  const [uri] = field('URIs') ?? []
  const usable =
    field('Types')?.includes('deb') && field('Components')?.includes('main') && field('Enabled')?.[0] !== 'no'
  return uri && usable ? [{ uri, suites: field('Suites') ?? [] }] : []
}

function oneLine(line: string): Source[] {
  const [type, uri, suite, ...components] = line
    .replace(/\[[^\]]*\]/, '')
    .trim()
    .split(/\s+/)
  return type === 'deb' && uri && suite && components.includes('main') ? [{ uri, suites: [suite] }] : []
}

/** Where this machine gets Debian's packages from. */
export async function debianMirror(): Promise<string> {
  const uris = (await run(['apt-get', 'indextargets', '--format', '$(REPO_URI)'])).split('\n')
  const found = uris.find((uri) => /\/debian\/?$/.test(uri))
  if (!found) throw new Error('no mirror of Debian is known to this machine: run apt-get update')
  return found
}
