import { posix } from 'node:path'
import { detectOne } from './detect-one.ts'
import { type Detection, type Found, found, type ServiceFound } from './detection.ts'
import type { Look } from './look.ts'
import { detectNode } from './node/detect-node.ts'
import type { Place } from './node/layout.ts'
import { nxApplications } from './node/nx.ts'
import { openWorkspace, type Workspace } from './node/workspace.ts'
import { detectDockerfile } from './user-dockerfile.ts'

/** A repository whose packages are installed together: one entry for each that can be deployed. */
export async function detectWorkspace(look: Look): Promise<Detection | null> {
  const workspace = await openWorkspace(look)
  const members = workspace
    ? await Promise.all(workspace.members.map((member) => memberOf(workspace, { workspace, member })))
    : []
  const packages = members.filter((one) => one !== null)
  const applications = (await nxApplications(look)).map((one) => ({ ...one, image: null }))
  if (packages.length + applications.length === 0) return null
  const inside = new Set([...packages, ...applications].map(({ rootDirectory }) => rootDirectory))
  const others = await foldersOf(look, (folder, one) => !inside.has(folder) && !isScript(one))
  const because = workspace?.because ?? 'nx.json says that it has several projects'
  return together([...packages, ...applications, ...others], [because], workspace?.warnings ?? [])
}

async function memberOf(workspace: Workspace, place: Place): Promise<ServiceFound | null> {
  const { member } = place
  const own = await dockerfileOf(workspace, place)
  const one = own ?? (await detectNode(member.look, place))
  return one && { ...one, name: member.name, rootDirectory: member.folder, image: null }
}

/** The Dockerfile of a package. One that copies from its own folder is meant to be built from the root. */
async function dockerfileOf({ root }: Workspace, { member }: Place): Promise<Found | null> {
  const one = await detectDockerfile(member.look)
  if (one?.dockerfilePath === undefined) return null
  const text = (await member.look.text(one.dockerfilePath)) ?? ''
  if (!text.includes(`${member.folder}/`)) return one
  return { ...one, dockerfilePath: posix.join(member.folder, one.dockerfilePath), context: root.look.folder }
}

const isScript = ({ language }: Found) => language === 'javascript' || language === 'typescript'

/** A repository of folders that know nothing of each other, such as frontend and backend. */
export async function detectFolders(look: Look): Promise<Detection | null> {
  const services = await foldersOf(look, () => true)
  if (services.every(({ strategy }) => strategy === 'static')) return null
  const names = services.map(({ rootDirectory }) => rootDirectory)
  return together(services, [`there is nothing to start at its root, but in ${names.join(', ')}`], [])
}

const NESTING = new Set(['apps', 'services', 'packages', 'projects'])
const NOT_DEPLOYED =
  /^(?:\..*|node_modules|vendor|docs?|tests?|e2e|examples?|samples?|scripts?|tools?|dist|build|out|public|static|assets|infra|terraform|helm|charts|k8s|deploy|migrations|lib|libs)$/i
const MANIFEST =
  /^(?:package\.json|pyproject\.toml|requirements\.txt|Pipfile|go\.mod|Cargo\.toml|composer\.json|Gemfile|pom\.xml|build\.gradle(?:\.kts)?|mix\.exs|[^/]+\.csproj|Dockerfile|index\.(?:html|php))$/
const MOST_FOLDERS = 30

async function foldersOf(look: Look, wanted: (folder: string, one: Found) => boolean): Promise<ServiceFound[]> {
  const folders = new Set<string>()
  for (const path of look.files()) {
    const names = path.split('/')
    const file = names.pop() ?? ''
    const depth = NESTING.has(names[0] ?? '') ? 2 : 1
    if (names.length === depth && MANIFEST.test(file) && !names.some((name) => NOT_DEPLOYED.test(name)))
      folders.add(names.join('/'))
  }
  const services: ServiceFound[] = []
  for (const folder of [...folders].slice(0, MOST_FOLDERS)) {
    const at = look.at(folder)
    const one = (await detectDockerfile(at)) ?? (await detectOne(at))
    if (one && wanted(folder, one)) services.push({ ...one, name: folder, rootDirectory: folder, image: null })
  }
  return services
}

/** Each under a name that it can be called by on the network, and none twice. */
function together(services: ServiceFound[], because: string[], warnings: string[]): Detection {
  const taken = new Set<string>()
  const named = services
    .sort((a, b) => ((a.rootDirectory ?? '') < (b.rootDirectory ?? '') ? -1 : 1))
    .map((service) => ({ ...service, name: serviceName(service, taken) }))
  const list = named.map(({ name, rootDirectory }) => (name === rootDirectory ? name : `${name} in ${rootDirectory}`))
  return {
    ...found({ strategy: 'monorepo', because: [...because, `to deploy: ${list.join(', ')}`] }),
    warnings,
    services: named,
    packageManager: sameIn(named.map(({ packageManager }) => packageManager)),
    language: sameIn(named.map(({ language }) => language)),
    confidence: named.some(({ confidence }) => confidence === 'low') ? 'medium' : 'high',
  }
}

function serviceName({ name, rootDirectory }: ServiceFound, taken: Set<string>): string {
  const clean = (text: string) =>
    text
      .toLowerCase()
      .replace(/^@[^/]*\//, '')
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 50)
  const wanted = [clean(posix.basename(name)), clean(rootDirectory ?? ''), 'service'].filter((one) => one !== '')
  const free = wanted.find((one) => !taken.has(one)) ?? `${wanted[0]}-${taken.size}`
  taken.add(free)
  return free
}

const sameIn = (values: (string | null)[]) => (new Set(values).size === 1 ? (values[0] ?? null) : null)

/** Where a folder stands when a workspace above it installs for it. */
export async function workspacePlace(look: Look, folder: string): Promise<Place | null> {
  const names = folder.split('/')
  for (let depth = names.length - 1; depth >= 0; depth--) {
    const above = names.slice(0, depth).join('/')
    const workspace = await openWorkspace(look.at(above))
    const member = workspace?.members.find((one) => one.look.folder === folder)
    if (workspace && member) return { workspace, member }
  }
  return null
}
