import type { Scene, Subject } from './ground.ts'
import { judge, type Promotion, reset } from './judge.ts'
import { begin, over } from './moves.ts'
import type { Struck } from './strike.ts'

/** One that does not build there: nothing changes here, why can be read here, and the next one, or giving up, goes as from the start. */
export async function failed(scene: Scene, subject: Subject): Promise<Struck> {
  const began = performance.now()
  const wrong: string[] = []
  const { own, pool } = scene
  await reset(scene, subject)
  const id = await begin(scene, subject, 'echo it breaks here && exit 3')
  const { state, error } = await over(scene, subject)
  if (state !== 'failed' || error === null) wrong.push(`one that does not build is ${state}: ${JSON.stringify(error)}`)
  const { rows } = await pool.query<{ target: string }>('select target from project where id = $1', [subject.id])
  if (rows[0]?.target !== 'server') wrong.push(`its target is ${rows[0]?.target}`)
  const log = await own.call('GET', `/api/deployments/${id}/logs?limit=200`)
  if (!log.text.includes('it breaks here'))
    wrong.push(`why cannot be read here: ${log.status} ${log.text.slice(0, 200)}`)
  wrong.push(...(await then(scene, subject)))
  return { name: `${subject.source}: it does not build there`, wrong, looks: 0, ms: performance.now() - began }
}

/** Given up once, tried again once. */
async function then(scene: Scene, subject: Subject): Promise<string[]> {
  const { own } = scene
  const wrong: string[] = []
  const given = await own.call('DELETE', `/api/projects/${subject.id}/promotion`)
  if (given.status >= 300) wrong.push(`it cannot be given up: ${given.text}`)
  wrong.push(...(await judge(scene, subject, '', ['failed', 'cancelled'])))
  await begin(scene, subject, 'exit 4')
  await over(scene, subject)
  const id = await begin(scene, subject)
  const { state } = (await over(scene, subject)) as Promotion
  if (state !== 'promoted') wrong.push(`after one that failed, the next is ${state}`)
  const there = await scene.cloud.show(id)
  if (there.status !== 'ready') wrong.push(`there it is ${there.status}`)
  return wrong
}
