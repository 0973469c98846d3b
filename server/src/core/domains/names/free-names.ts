import type { Tx } from '../../../db/database.ts'
import { Refusal } from '../../../errors.ts'
import type { BaseParts } from '../../parts.ts'
import * as store from './store.ts'

export type Project = {
  id: string
  orgId: string
  name: string
  /** The caller has no business with other projects of the organization. */
  restricted?: boolean
}
type Config = Pick<BaseParts, 'config'>

/** `label`: what was asked for; without one it is the project's name, for a further one with the service's. */
export type FreeName = Omit<store.Claim, 'host' | 'kind'> & { label: string | undefined }

/** Names below the instance's own domain, as many as were asked for, each another one. */
export async function claimFreeNames(
  tx: Tx,
  parts: Config,
  project: Project,
  wanted: FreeName[],
  known: store.Named[],
): Promise<void> {
  const said = new Set<string>()
  const first = wanted.find(({ label }) => label === undefined)
  for (const one of wanted) {
    const { label, ...base } = one
    const host = one === first ? ownOf(parts, project, known) : hostOf(parts, label ?? further(project, one))
    const place = `${host ?? ''}${base.pathPrefix ?? ''}`
    if (said.has(place)) throw twice(host ?? project.name)
    said.add(place)
    if (host === undefined) await claimFree(tx, parts, base, project)
    else await claimLabel(tx, parts, project, { ...base, host })
  }
}

const hostOf = ({ config }: Config, label: string) => `${label}.${config.baseDomain}`

/** The name that it has already: after its own name, or another that it was called by. */
function ownOf(parts: Config, project: Project, known: store.Named[]): string | undefined {
  const free = known.filter(({ kind }) => kind === 'free').map(({ host }) => host)
  return (
    freeLabels(project)
      .map((label) => hostOf(parts, label))
      .find((host) => free.includes(host)) ?? free[0]
  )
}

const further = (project: Project, { service }: FreeName) => `${slugOf(project.name)}-${service}`

async function claimLabel(tx: Tx, { config }: Config, project: Project, row: Omit<store.Claim, 'kind'>): Promise<void> {
  const holder = await store.holderOf(tx, row.host)
  const own = freeLabels(project, row.service).map((label) => hostOf({ config }, label))
  if (project.restricted && holder?.projectId !== project.id && !own.includes(row.host)) throw notTheirs(row.host)
  if (isOwnName(config, row.host) || !(await store.claim(tx, { ...row, kind: 'free' }))) {
    throw nameTaken(row.host, 'publicEndpoints')
  }
}

/** A free name is derived from the project's; where that is taken, part of its id tells it apart. */
export async function claimFree(
  tx: Tx,
  { config }: Config,
  base: Omit<store.Claim, 'host' | 'kind'>,
  project: Project,
): Promise<void> {
  const hosts = freeLabels(project).map((label) => `${label}.${config.baseDomain}`)
  for (const host of hosts)
    if (!isOwnName(config, host) && (await store.claim(tx, { ...base, host, kind: 'free' }))) return
  throw nameTaken(hosts[0] ?? '', 'publicEndpoints')
}

/** What the platform itself is reached by. */
export const isOwnName = ({ baseDomain, publicUrl }: BaseParts['config'], host: string) =>
  [baseDomain, new URL(publicUrl).hostname].includes(host.replace(/^\*\./, ''))

export const freeLabels = ({ name, id }: Project, service?: string) => {
  const slug = slugOf(name)
  return [slug, `${slug}-${id.slice(-6)}`, ...(service === undefined ? [] : [`${slug}-${service}`])]
}

const slugOf = (name: string) =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40) || 'project'

export const nameTaken = (host: string, field: string) =>
  new Refusal('name_taken', `The host name ${host} belongs to another project.`, {
    field,
    hint: 'Choose another name, or release it there first.',
  })

const twice = (host: string) =>
  new Refusal('invalid_request', `Two endpoints ask for the same name: ${host}.`, {
    field: 'publicEndpoints',
    hint: 'Give each a domain of its own, or a targetPath.',
  })

const notTheirs = (host: string) =>
  new Refusal('project_restricted', `${host} is not a name that this project's credential may choose.`, {
    field: 'publicEndpoints',
    hint: 'Leave domain out, or use a credential without a project restriction.',
  })
