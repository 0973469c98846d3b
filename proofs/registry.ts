import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { labPart } from '../lab/ask.ts'
import { openSite } from '../test-kit/site.ts'
import { size } from './ledger/sizes.ts'
import { watchProcesses } from './parts/process-list.ts'
import { dockerOf, faultOf, type Ground, privateRegistry } from './parts/registry/ground.ts'
import { foreignIds, listener, thieves } from './parts/registry/thieves.ts'
import { builds, deploys, fromImage, lanesOf, reschedules } from './parts/registry/uses.ts'
import { blindTo, everything, leaks } from './parts/seal/look.ts'

export const claim =
  'images of a private registry are deployed, built on and fetched again later, with tokens that live a minute; a wrong credential is refused when it is saved, and the right one is seen by nobody'
export const kind = 'story'
export const quick = false

const DEPLOYS = size('SLIPWAY_REGISTRY_DEPLOYS', 200)
const ROUNDS = size('SLIPWAY_REGISTRY_RESCHEDULES', 5)
const BUILDS = size('SLIPWAY_REGISTRY_BUILDS', 20)
const WRONG = 20
const MOST_MS = 2000

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const aside = mkdtempSync(join(tmpdir(), 'slipway-registry-'))
  const logFile = join(aside, 'all.log')
  const answers: string[] = []
  const { gateway } = labPart('engine')
  const { account, registry, app } = await privateRegistry()
  const env = { SLIPWAY_ALLOWED_NETWORKS: gateway, SLIPWAY_LOG_LEVEL: 'trace' }
  const site = await openSite({ name: 'registry', logFile, env, onAnswer: (_, text) => answers.push(text) })
  const faults: string[] = []
  const note: Ground['note'] = (what, found) => {
    console.log(`  ${found.length === 0 ? 'right' : 'WRONG'}  ${what}`)
    for (const each of found.slice(0, 10)) console.log(`         ${each}`)
    faults.push(...found)
  }
  try {
    await site.start()
    const serverId = await site.addLocalServer()
    const ground: Ground = { site, serverId, registry, account, app, docker: dockerOf, note }
    const figures = await proveAll(ground, { logFile, answers })
    return { ok: faults.length === 0, figure: `${figures}; ${faults.length} faults` }
  } finally {
    await site.close()
    await registry.stop()
    rmSync(aside, { recursive: true, force: true })
  }
}

async function proveAll(ground: Ground, { logFile, answers }: { logFile: string; answers: string[] }): Promise<string> {
  const { site, account, registry, note } = ground
  const seen = watchProcesses()
  const slowest = await wrongOnes(ground)
  const projects = await lanesOf(ground)
  const saved = await Promise.all(projects.map((projectId) => save(ground, projectId)))
  note(`${DEPLOYS} deployments, each fetched anew`, await deploys(ground, projects, DEPLOYS))
  note(`${ROUNDS} times the node emptied of containers and images`, await reschedules(ground, ROUNDS))
  note(`${BUILDS} builds from private bases`, await builds(ground, projects, BUILDS))
  const { tokens } = registry
  const { tried, faults } = await thieves(ground)
  note(`${tried} attempts of others to use an image that lies there`, faults)
  note('its id in another organization', await foreignIds(ground, saved[0] ?? '', projects[0] ?? ''))
  const asked = await elsewhere(ground, projects[0] ?? '')
  note('the scanner finds every form', blindTo(account.password))
  // So that its id stands in the log, where it is looked for to see that the log was read.
  await site.ask('GET', `/api/projects/${projects[0]}`)
  const all = { ...(await everything(site, logFile, answers)), ...(await onEngine(ground)), argv: (await seen()).all }
  const found = leaks(all, [account.password], projects[0] ?? '')
  note(`specs, argv, logs, events, dump, images, files: ${megabytes(all)}`, found)
  return `${DEPLOYS} deployments by name, digest and compose file, ${ROUNDS * projects.length} tasks started again after containers and images were removed and tokens had ended, ${BUILDS} builds from private bases: all fetched (${tokens.given} tokens of 60 s); ${WRONG} wrong credentials refused, the slowest after ${slowest} ms of ${MOST_MS}; ${tried} attempts by another project or organization: ${faults.length} got it; another registry asked ${asked} times heard no password; the password found ${found.length} times in ${megabytes(all)} of specs, arguments, logs, events, dumps, images and files`
}

/** Saved for one project alone: what another one may not use is then something to show. */
async function save({ site, registry, account }: Ground, projectId: string): Promise<string> {
  const { username, password } = account
  return (await site.ask('POST', '/api/registries', { host: registry.address, username, password, projectId })).id
}

async function wrongOnes({ site, registry, account, note }: Ground): Promise<number> {
  const times: number[] = []
  const faults: string[] = []
  for (let n = 0; n < WRONG; n++) {
    const wrong = n % 2 === 0 ? { password: `wrong ${n}` } : { username: `nobody${n}` }
    const from = performance.now()
    const { status, body } = await site.call('POST', '/api/registries', {
      host: registry.address,
      ...account,
      path: null,
      ...wrong,
    })
    times.push(performance.now() - from)
    if (status !== 400 || body.code !== 'registry_refused') faults.push(`${status} ${body.code}`)
  }
  const slowest = Math.round(Math.max(...times))
  if (slowest >= MOST_MS) faults.push(`one took ${slowest} ms`)
  note(`${WRONG} wrong credentials refused, the slowest after ${slowest} ms`, faults)
  return slowest
}

/** A project that has the credential names images of another registry, in every way that one is asked. */
async function elsewhere(ground: Ground, projectId: string): Promise<number> {
  const other = await listener()
  try {
    const { site, note } = ground
    const ended = [
      await fromImage(ground, projectId, `${other.address}/x:1`),
      await fromImage(ground, projectId, `${other.address}/x@sha256:${'a'.repeat(64)}`),
      await site.deploy(projectId, { Dockerfile: `FROM ${other.address}/x:1\n` }),
    ]
    for (const id of ended) if ((await faultOf(ground, id)).length === 0) note('another registry', [`${id} is ready`])
    const { heard, asked } = other.heard()
    note(`another registry was asked ${asked} times`, asked === 0 ? ['it was not asked'] : heard)
    return asked
  } finally {
    other.close()
  }
}

/** What anybody reads who asks the engine: services, tasks, containers, and the images that were built, whole. */
async function onEngine({ docker, site }: Ground): Promise<Record<'specs' | 'images', Buffer>> {
  const lines = async (...argv: string[]) => (await docker(...argv)).split('\n').filter(Boolean)
  const services = await lines('service', 'ls', '--quiet', '--filter', `label=slipway.instance=${site.instance}`)
  const tasks = (await Promise.all(services.map((id) => lines('service', 'ps', '--quiet', id)))).flat()
  const containers = await lines('ps', '--all', '--quiet', '--filter', `label=slipway.instance=${site.instance}`)
  const images = await lines('images', '--quiet', '--filter', `label=slipway.instance=${site.instance}`)
  // What ended meanwhile is gone, and shows nothing.
  const read = (...argv: string[]) => docker(...argv).catch(() => '')
  const inspected = await Promise.all(
    [...services, ...tasks, ...containers, ...images].map((id) => read('inspect', id)),
  )
  const histories = await Promise.all([...new Set(images)].map((id) => read('history', '--no-trunc', id)))
  return { specs: Buffer.from(inspected.join('\n')), images: Buffer.from(histories.join('\n')) }
}

const megabytes = (all: Record<string, Buffer>) =>
  `${(Object.values(all).reduce((sum, text) => sum + text.length, 0) / 1024 / 1024).toFixed(0)} MB`
