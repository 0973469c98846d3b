import { randomUUID } from 'node:crypto'
import { ZodType } from 'zod'
import type { Field, Ids } from './fields.ts'
import { type Reply, requestWith, type Sender, send } from './send.ts'

// biome-ignore lint/suspicious/noExplicitAny: what came back is looked at field by field
type Loose = any
type Taken = { at: Sender; ids: Ids; field: Field; value: string; reply: Reply }

/** What is wrong with how an accepted value is shown; undefined when it is right. */
type Look = (taken: Taken) => Promise<string | undefined> | string | undefined

/** How a value comes back, for every field there is. One that no line speaks of fails the proof: decide about it here. */
const LOOKS: [titles: RegExp, look: Look][] = [
  [/token$|privateKey$|passphrase$/, isHidden],
  [/body\.(accessKeyId|secretAccessKey|sftp\w+)$/, isHidden],
  // Only the credential of a linked instance brings one along.
  [/^deployments\.buildAccess body\.deploymentId$|^projects\.create body\.id$/, () => 'an id was taken from anybody'],
  [/params\.id$|body\.(projectId|uploadSessionId|serverId)$/, () => 'it was taken for an id that exists'],
  [
    /\.(cursor|limit|since)$|^\w+\.(list|all) query|deployments\.(logs|projectLogs|diff) query|query\.(force|service|volumes|wait)$/,
    () => undefined,
  ],
  [/environment\{\}$|variables\[\]\.value$/, isRevealed],
  [/environment\{name\}$|variables\[\]\.(name|service|scope)$/, isListed],
  [/gitCredential\.hostKeys\[\]$/, isHostKey],
  [/^projects\.(create|update|ensure) body/, isInProject],
  [/^services\.put (params\.name|body)/, isInService],
  [/^deployments\.buildAccess body\.services/, isInService],
  [/^(services|variables)\.remove params\.name/, () => undefined],
  [/^servers\.(create|update) body/, isInServer],
  [/^backupDestinations\.(create|update) body/, isInDestination],
  // Nothing is saved that no registry has taken: only what a row is for may be changed here.
  [/^registries\.(create|update) body\.(username|password)$/, isHidden],
  [/^registries\.(create|update) body/, isInRegistry],
  [/^deployments\.(create|buildAccess) body\.(branch|image)$/, isInSource],
  [/^deployments\.(create|buildAccess) body\.message$/, isItsMessage],
  [/^domains\.add body\.host$/, ({ value, reply }) => shownAs(reply.body.host, value.trim().toLowerCase())],
  // A slash at the end means nothing.
  [
    /^domains\.add body\.targetPath$/,
    ({ value, reply }) => shownAs(reply.body.targetPath, value.replace(/\/$/, '') || null),
  ],
  [/^domains\.add body/, (taken) => same(inside(taken.reply.body, taken.field), taken)],
  [/^domains\.(check|remove) |^deployments\.sslRenew /, () => undefined],
  // Chosen from a list; another word is refused.
  [
    /body\.(buildStrategy|deployTarget|action|https)$|domainType$|\.kind$|^folderSessions\.create \w+\.mode$/,
    () => undefined,
  ],
  // Nobody is signed in by a cookie here: what is asked is only kept, and what is decided needs a session.
  [/^cliLogin\./, () => undefined],
  // Nothing is connected here: what hostile names do at a host is tested where there is one.
  [/^githostSettings\.setRules /, (taken) => same(inside(taken.reply.body, taken.field), taken)],
  [/^githost(Settings)?\./, () => undefined],
  // Of deliveries nothing is kept that is not signed, and lists are only looked through.
  [/^githostDeliveries\./, () => undefined],
  // No server of this one can be reached: what a hostile server says is tested where there is one.
  [/^migration\./, () => undefined],
  // Only looked with; nothing is kept.
  [/^deployments\.(prepare|sslStatus) body/, () => undefined],
  // Seen where they arrive: in the context of a build, at the edge, in the run that waits.
  [/files\[\]|putBlob params\.sha|publicEndpoints|respond body\.(promptId|value)$/, () => undefined],
]

export function lookFor({ title }: Field): Look {
  const found = LOOKS.find(([titles]) => titles.test(title))
  if (!found) throw new Error(`say in parts/fuzz/shown.ts how ${title} is shown again`)
  return found[1]
}

/** What the schema makes of a value: names are trimmed, host names become lower case. Nothing else may change. */
function kept(taken: Taken): unknown {
  const { field, value, ids } = taken
  if (field.place !== 'body' || !(field.endpoint.body instanceof ZodType)) return value
  const { body } = requestWith(field, value, ids)
  return inside(field.endpoint.body.parse(body), field)
}

function inside(whole: Loose, field: Field): unknown {
  return field.hops.reduce((at: Loose, hop) => {
    if (hop === 'item') return at?.[0]
    if (hop === 'value') return Object.values(at ?? {})[0]
    if (hop === 'name') return Object.keys(at ?? {})[0]
    return 'key' in hop ? at?.[hop.key] : at
  }, whole)
}

const same = (shown: unknown, taken: Taken): string | undefined => {
  const wanted = kept(taken)
  const changes = typeof wanted !== 'string' || [taken.value, taken.value.trim()].includes(wanted)
  if (!changes) return `it became ${JSON.stringify(wanted)}`
  return shownAs(shown, wanted)
}

const shownAs = (shown: unknown, wanted: unknown) =>
  shown === wanted ? undefined : `it is shown as ${JSON.stringify(shown)?.slice(0, 200)}`

async function isInProject(taken: Taken) {
  const project = taken.reply.body.project ?? taken.reply.body
  const again = await send(taken.at, 'GET', `/api/projects/${project.id}`)
  return same(inside(project, taken.field), taken) ?? same(inside(again.body, taken.field), taken)
}

/** ssh-keyscan prints the host before the key; the repository's address says which it is, so it is left out. */
function isHostKey(taken: Taken) {
  const value = taken.value.trim().replace(/^(?!(?:ssh|ecdsa|sk)-)\S+ +/, '')
  return isInProject({ ...taken, value })
}

async function isInServer(taken: Taken) {
  const again = await send(taken.at, 'GET', `/api/servers/${taken.reply.body.id}`)
  return same(inside(taken.reply.body, taken.field), taken) ?? same(inside(again.body, taken.field), taken)
}

async function isInDestination(taken: Taken) {
  const again = await send(taken.at, 'GET', `/api/backup-destinations/${taken.reply.body.id}`)
  return same(inside(taken.reply.body, taken.field), taken) ?? same(inside(again.body, taken.field), taken)
}

async function isInRegistry(taken: Taken) {
  const again = await send(taken.at, 'GET', `/api/registries/${taken.reply.body.id}`)
  return same(inside(taken.reply.body, taken.field), taken) ?? same(inside(again.body, taken.field), taken)
}

async function isInSource(taken: Taken) {
  const { body } = await send(taken.at, 'GET', `/api/deployments/${taken.reply.body.deployment_id}`)
  return same(inside(body.source, taken.field), taken)
}

async function isItsMessage(taken: Taken) {
  const { body } = await send(taken.at, 'GET', `/api/deployments/${taken.reply.body.deployment_id}`)
  return same(body.message, taken)
}

async function isInService(taken: Taken) {
  const { at, ids, field } = taken
  const { body } = await send(at, 'GET', `/api/projects/${ids.prj}/services?limit=200`)
  const byName = field.title.endsWith('params.name') || field.title.endsWith('services[].name')
  if (byName) {
    const found = body.data.some((one: Loose) => one.name === taken.value)
    return found ? undefined : 'no service has this name'
  }
  const service = body.data.find((one: Loose) => one.name === 'web')
  const [first] = field.hops
  const ofEntry = typeof first === 'object' && 'key' in first && first.key === 'services'
  const hops = ofEntry ? field.hops.slice(2) : field.hops
  return same(inside(service?.config, { ...field, hops }), taken)
}

async function isRevealed(taken: Taken) {
  const { body } = await send(taken.at, 'POST', `/api/projects/${taken.ids.prj}/variables/reveal`)
  const values = body.variables.map((one: Loose) => one.value)
  return values.includes(kept(taken)) ? undefined : 'no variable has this value'
}

async function isListed(taken: Taken) {
  const { body } = await send(taken.at, 'GET', `/api/projects/${taken.ids.prj}/variables?limit=200`)
  const found = body.data.some((one: Loose) => Object.values(one).includes(taken.value))
  return found ? undefined : 'it is not in the list of variables'
}

/**
 * Long enough not to be there by chance. Another field may hold the same text since earlier: then it is
 * shown as well when the secret is another one.
 */
async function isHidden({ at, ids, field, value, reply }: Taken) {
  const shows = ({ text }: Reply) => value.length >= 8 && text.includes(JSON.stringify(value).slice(1, -1))
  if (!shows(reply)) return undefined
  const { path, body } = requestWith(field, `another ${randomUUID()}`, ids)
  const other = await send(at, field.endpoint.method, path, body)
  return other.status < 300 && shows(other) ? undefined : 'the answer shows it'
}
