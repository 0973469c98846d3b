import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../../test-kit/until.ts'
import { base, faultOf, forget, type Ground, inLanes, publishApp, SECONDS, SERVES } from './ground.ts'

/** Projects that deploy at the same time; a project has one run at a time. */
const LANES = 4

export const lanesOf = async ({ site, serverId }: Pick<Ground, 'site' | 'serverId'>) =>
  Promise.all(Array.from({ length: LANES }, (_, n) => site.project(`lane ${n}`, { serverId })))

/** By its name, by its digest, and as an image of a compose file; each time the engine has forgotten it before. */
export async function deploys(ground: Ground, projects: string[], count: number): Promise<string[]> {
  // One for each lane: what one of them makes the engine forget is needed by nobody else.
  const apps: Ground['app'][] = []
  while (apps.length < LANES) apps.push(await publishApp(ground, `team/app${apps.length}:1`))
  const ways = [
    (projectId: string, app: Ground['app']) => fromImage(ground, projectId, app.image),
    (projectId: string, app: Ground['app']) => fromImage(ground, projectId, app.digest),
    (projectId: string, app: Ground['app'], n: number) => ground.site.deploy(projectId, composed(app.image, n)),
  ]
  const numbers = Array.from({ length: count }, (_, n) => n)
  return inLanes(LANES, numbers, async (n, lane) => {
    const app = apps[lane] as Ground['app']
    await forget(ground, app.image, app.digest)
    const id = await ways[n % ways.length]?.(projects[lane] ?? '', app, n)
    return faultOf(ground, id ?? '')
  })
}

export const fromImage = async ({ site }: Pick<Ground, 'site'>, projectId: string, image: string): Promise<string> =>
  (await site.ask('POST', '/api/deployments/build/access', { projectId, image })).deployment_id

const composed = (image: string, n: number) => ({
  'compose.yaml': `services:\n  web:\n    image: ${image}\n    environment:\n      N: "${n}"\n    ports: ["3000"]\n`,
})

/**
 * The only node is emptied after the last token has ended, containers and images are removed, and the node is opened again: what Swarm
 * starts then it has to fetch by itself. Each project runs one.
 */
export async function reschedules(ground: Ground, rounds: number): Promise<string[]> {
  const { docker, registry, site } = ground
  const ours = ['--quiet', '--filter', `label=slipway.instance=${site.instance}`]
  const ids = async (...argv: string[]) => (await docker(...argv)).split('\n').filter(Boolean)
  const node = (await ids('node', 'ls', '--quiet'))[0] ?? ''
  const faults: string[] = []
  await sleep((SECONDS + 5) * 1000)
  for (let n = 0; n < rounds; n++) {
    const before = (await privateOnes(ground, await ids('ps', ...ours))).length
    const given = registry.tokens.given
    await docker('node', 'update', '--availability', 'drain', node)
    try {
      await until('the node to be empty', 120_000, async () => (await ids('ps', ...ours)).length === 0 || undefined)
      await gone(ground, await privateOnes(ground, await ids('ps', '--all', ...ours)))
    } finally {
      await docker('node', 'update', '--availability', 'active', node)
    }
    const came = await until('all to run again', 240_000, async () => {
      const now = await privateOnes(ground, await ids('ps', ...ours, '--filter', 'status=running'))
      return now.length === before || undefined
    }).catch((error: Error) => error.message)
    if (came !== true) faults.push(`round ${n}: ${came}`)
    if (registry.tokens.given === given) faults.push(`round ${n} asked for no token`)
  }
  return faults
}

/** Containers, and every private image with all that belongs to it. */
async function gone({ docker, registry }: Ground, containers: string[]): Promise<void> {
  for (const id of containers) await docker('rm', '--force', id)
  const images = (await docker('images', '--no-trunc', '--format', '{{.Repository}} {{.ID}}')).split('\n')
  const own = images.filter((line) => line.startsWith(`${registry.address}/`)).map((line) => line.split(' ')[1] ?? '')
  for (const id of new Set(own)) await docker('rmi', '--force', id)
}

async function privateOnes({ docker, registry }: Ground, ids: string[]): Promise<string[]> {
  const shown = await Promise.all(
    ids.map((id) =>
      docker('inspect', '--format', '{{.Config.Image}}', id).then(
        (image) => ({ id, image }),
        () => null,
      ),
    ),
  )
  return shown.flatMap((one) => (one?.image.startsWith(`${registry.address}/`) ? [one.id] : []))
}

/** Each from a base that the engine has never had. */
export async function builds(ground: Ground, projects: string[], count: number): Promise<string[]> {
  const bases: string[] = []
  for (let n = 0; n < count; n++) bases.push((await base(ground, n)).image)
  return inLanes(LANES, bases, async (image, lane) => {
    const id = await ground.site.deploy(projects[lane] ?? '', builtFrom(image))
    return faultOf(ground, id)
  })
}

const builtFrom = (image: string) => ({
  Dockerfile: `FROM ${image}\nCOPY --from=${image} /unique /copied\nRUN test -s /copied\nEXPOSE 3000\n${SERVES}\n`,
})
