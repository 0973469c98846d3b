import { setTimeout as pause } from 'node:timers/promises'
import { labPart } from '../../../lab/ask.ts'
import { engineAt } from '../../../test-kit/engine.ts'
import { until } from '../../../test-kit/until.ts'
import { type Scene, type Subject, shownOf } from './ground.ts'

export type Promotion = { state: string; step: string | null; dns: { host: string }[]; error: unknown }
type Listed = { data: { id: string; projectId: string; status: string; name?: string }[] }

const GONE_MS = 90_000
const AWAY_MS = 15_000

/** Where a project is, as both sides have it; whatever is neither here alone nor wholly there is wrong. */
export async function judge(
  scene: Scene,
  subject: Subject,
  id: string,
  wanted: string[],
  cloudWasKilled = false,
): Promise<string[]> {
  const { state, dns, error } = await scene.own.ask<Promotion>('GET', `/api/projects/${subject.id}/promotion`)
  const wrong = wanted.includes(state) ? [] : [`it is ${state}: ${JSON.stringify(error)}`]
  if (state !== 'promoted') return [...wrong, ...(await untouched(scene, subject))]
  if (!dns.some(({ host }) => host === subject.domain))
    wrong.push(`${subject.domain} is not in the plan of DNS changes`)
  return [...wrong, ...(await promoted(scene, subject, id, cloudWasKilled))]
}

type Answered = { status: number; body: { code?: string } }

/** The instance looks every three seconds whether a cloud that was killed is back, and says until then that it is away. */
async function onceBack<T extends Answered>(call: () => Promise<T>): Promise<T> {
  const late = Date.now() + AWAY_MS
  let answer = await call()
  while (answer.status === 503 && answer.body.code === 'cloud_unreachable' && Date.now() < late) {
    await pause(1000)
    answer = await call()
  }
  return answer
}

async function promoted({ own, cloud }: Scene, subject: Subject, id: string, wasKilled: boolean): Promise<string[]> {
  const wrong: string[] = []
  const project = await own.ask('GET', `/api/projects/${subject.id}`)
  if (project.target !== 'cloud') wrong.push(`its target is ${project.target}`)
  const there = await cloud.ask<Listed>('GET', `/api/deployments?projectId=${subject.id}&limit=50`)
  const all = there.data.map((one) => `${one.id} ${one.status}`).join(', ')
  if (all !== `${id} ready`) wrong.push(`there are ${all || 'no deployments'} there, not ${id} alone`)
  const named = await cloud.ask<Listed>('GET', `/api/projects?name=${subject.name}&limit=50`)
  if (named.data.length !== 1) wrong.push(`${named.data.length} projects there have its name`)
  const call = () => own.call<{ status?: string; code?: string }>('GET', `/api/deployments/${id}`)
  const through = await (wasKilled ? onceBack(call) : call())
  if (through.status !== 200 || through.body.status !== 'ready') wrong.push(`through the hop it is ${through.text}`)
  const seen = await until('it answers there', 30_000, async () => {
    const answer = await cloud.visit(subject.name, '/', cloud.addressOf('host1')).catch(() => undefined)
    return answer?.status === 200 && answer
  }).catch(() => undefined)
  if (seen?.text.trim() !== shownOf(subject.secret))
    wrong.push(`visitors of ${(await cloud.show(id)).urls.join(', ')} get ${seen?.text ?? 'nothing'}`)
  return wrong
}

async function untouched({ own, cloud, pool }: Scene, { id, name }: Subject): Promise<string[]> {
  const wrong: string[] = []
  const query = 'select target, cloud_project_id as there from project where id = $1'
  const [row] = (await pool.query<{ target: string; there: string | null }>(query, [id])).rows
  if (row?.target !== 'server' || row.there !== null) wrong.push(`here it is ${JSON.stringify(row)}`)
  const there = await cloud.call('GET', `/api/projects/${id}`)
  if (there.status !== 404) wrong.push(`the project is still there: ${there.status}`)
  const named = await cloud.ask<Listed>('GET', `/api/projects?name=${name}&limit=50`)
  if (named.data.length > 0) wrong.push(`${named.data.length} projects there have its name`)
  const gone = until('nothing of it runs there', GONE_MS, async () => (await leftThere(id)).length === 0)
  await gone.catch(async () => wrong.push(`left there: ${(await leftThere(id)).join(', ')}`))
  const { status } = await own.visit(name)
  if (status !== 200) wrong.push(`its release here answers ${status}`)
  return wrong
}

async function leftThere(project: string): Promise<string[]> {
  const docker = engineAt(labPart('host1').socket)
  const filters = { label: [`slipway.project=${project}`] }
  const [services, containers, volumes] = await Promise.all([
    docker.listServices({ filters }),
    docker.listContainers({ all: true, filters }),
    docker.listVolumes({ filters: { label: [`slipway.project=${project}`] } }),
  ])
  return [
    ...services.map(({ Spec }) => `service ${Spec?.Name}`),
    ...containers.map(({ Names }) => `container ${Names[0]}`),
    ...(volumes.Volumes ?? []).map(({ Name }) => `volume ${Name}`),
  ]
}

/** As it was before: what a promotion has made there goes, and the project is one that serves here alone. */
export async function reset({ cloud, pool }: Scene, { id }: Subject): Promise<void> {
  await until(`${id} is removed there`, GONE_MS, async () => {
    const { data } = await cloud.ask<Listed>('GET', `/api/deployments?projectId=${id}&limit=50`)
    for (const one of data) await cloud.call('DELETE', `/api/deployments/${one.id}?force=true`)
    const { status } = await cloud.call('DELETE', `/api/projects/${id}?volumes=delete`)
    return [200, 404].includes(status)
  })
  await pool.query('delete from cloud_deployment where project_id = $1', [id])
  await pool.query('delete from promotion where project_id = $1', [id])
  await pool.query(`update project set target = 'server', cloud_project_id = null, cloud_org_id = null where id = $1`, [
    id,
  ])
  await until('what it had there is gone', GONE_MS, async () => (await leftThere(id)).length === 0)
}

/** Looks all the time: whoever is led to the cloud must find it ready there, from the first moment on. */
export function watchTarget({ pool, cloud }: Scene, subject: Subject, id: () => string) {
  const wrong: string[] = []
  const there = (cloud.database as { pool: Scene['pool'] }).pool
  let [looks, over] = [0, false]
  const watching = (async () => {
    while (!over) {
      looks++
      const { rows } = await pool.query<{ target: string }>('select target from project where id = $1', [subject.id])
      if (rows[0]?.target === 'cloud') {
        const found = await there.query<{ status: string }>('select status from deployment where id = $1', [id()])
        const status = found.rows[0]?.status
        if (status !== 'ready') wrong.push(`its target was the cloud while it was ${status ?? 'not'} there`)
      }
      await new Promise((next) => setTimeout(next, 50))
    }
  })()
  return {
    async stop() {
      over = true
      await watching
      return { looks, wrong: [...new Set(wrong)] }
    },
  }
}
