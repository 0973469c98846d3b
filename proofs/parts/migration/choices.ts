import type { AdoptedWarning } from '@slipway/contract/migration'
import type { MigrationStack } from '@slipway/contract/migration-shape'
import { labPart } from '../../../lab/ask.ts'
import { dockerApi } from '../../../lab/docker.ts'
import { parseKeyRing } from '../../../server/src/drivers/crypto/key-ring.ts'
import { SECRET_KEY } from '../../../test-kit/server-process.ts'
import type { Site } from '../../../test-kit/site.ts'
import { differences, type Inspected, type InspectedImage } from './compare.ts'
import { renderedOf } from './rendered.ts'

type Note = (what: string, wrong: string[]) => void
type Adopted = { project: { id: string }; warnings: AdoptedWarning[] }

const MOST_AT_ONCE = 6

/** Chosen by chance, the same each time. */
function chance(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state * 1103515245 + 12345) % 2147483648
    return Math.floor((state / 2147483648) * below)
  }
}

/** Adopts random choices of services and holds what was recorded against what the engine says they were. */
export async function compareChoices(
  site: Site,
  serverId: string,
  which: 'host1' | 'host2',
  count: number,
  note: Note,
) {
  const { stack } = await site.ask<{ stack: MigrationStack }>('POST', '/api/migration/scan', { serverId })
  const services = [...stack.composeStacks.flatMap((one) => one.services), ...stack.containers]
  const keys = services.filter(({ adoptable, replicas }) => adoptable && replicas > 0).map(({ key }) => key)
  const random = chance(7)
  const wrong: string[] = []
  let compared = 0
  let named = 0
  for (let n = 0; n < count; n++) {
    const size = 1 + random(MOST_AT_ONCE)
    const chosen = [...new Set(Array.from({ length: size }, () => keys[random(keys.length)] ?? ''))]
    const body = { serverId, projectName: `choice ${n}`, serviceNames: chosen }
    const adopted = await site.ask<Adopted>('POST', '/api/migration/adopt', body)
    const found = await held(site, which, adopted)
    if (found.length !== chosen.length)
      wrong.push(`choice ${n}: ${found.length} of ${chosen.length} services are recorded`)
    for (const { key, unlike, told } of found) {
      compared++
      named += unlike.length
      for (const { field, detail } of unlike) if (!told.has(field)) wrong.push(`${key} ${field}: ${detail}`)
    }
    await site.ask('DELETE', `/api/projects/${adopted.project.id}`)
  }
  note(`${count} choices among ${keys.length} services are as their inspections say, or that is named`, [
    ...new Set(wrong),
  ])
  return { compared, named }
}

/** What was recorded of each service, as the engine would be told of it, beside the original. */
async function held(site: Site, which: 'host1' | 'host2', { project, warnings }: Adopted) {
  const keys = parseKeyRing(SECRET_KEY)
  const asked = 'select name, key, plan from adopted_service where project_id = $1'
  const rows: { name: string; key: string; plan: string }[] =
    (await site.database?.pool.query(asked, [project.id]))?.rows ?? []
  return Promise.all(
    rows.map(async ({ name, key, plan }) => {
      const { compose } = JSON.parse(keys.open(plan, `adopted_service/${project.id}/${name}/plan`))
      const { original, image } = await originalOf(which, key)
      const unlike = differences(original, image, renderedOf(name, compose, image.Config.Healthcheck?.Test ?? null))
      const told = new Set(warnings.filter(({ service }) => service === name).map((one) => one.key.split('.')[0] ?? ''))
      return { key, unlike, told }
    }),
  )
}

async function originalOf(
  which: 'host1' | 'host2',
  key: string,
): Promise<{ original: Inspected; image: InspectedImage }> {
  const { socket } = labPart(which)
  const ask = async (path: string) => JSON.parse(await dockerApi(socket, 'GET', path))
  const [kind, first = '', second = ''] = key.split('/').map(decodeURIComponent)
  const label =
    kind === 'compose'
      ? [`com.docker.compose.project=${first}`, `com.docker.compose.service=${second}`]
      : [`com.docker.swarm.service.name=${first}`]
  const filters = encodeURIComponent(JSON.stringify({ label }))
  const listed: { Id: string; Labels: Record<string, string> }[] =
    kind === 'container' ? [] : await ask(`/containers/json?all=1&filters=${filters}`)
  const usual = listed.filter(({ Labels }) => Labels['com.docker.compose.oneoff'] !== 'True')
  const number = (one: { Labels: Record<string, string> }) =>
    Number(one.Labels['com.docker.compose.container-number'] ?? 1)
  const id = kind === 'container' ? first : usual.sort((a, b) => number(a) - number(b))[0]?.Id
  const original: Inspected = await ask(`/containers/${id}/json`)
  return { original, image: await ask(`/images/${original.Image}/json`) }
}
