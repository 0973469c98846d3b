import { expect, test } from 'vitest'
import type { Org } from '../../../test-kit/world.ts'
import { projectOf, promote, startStage } from './stage.ts'

const { home, cloud, line, ground, linkTo, promotion, ended, endThere, countThere, at } = await startStage()

const image = 'busybox:1'
const unlink = ({ owner }: Org, query = '') => owner.api('DELETE', `/api/cloud/link${query}`)
const another = async (name: string) => {
  const there = await cloud.org(name)
  await there.owner.api('POST', '/api/servers', { kind: 'ssh', name: 'there', host: '192.0.2.8' })
  return there
}

test('what is with one organization of a cloud is not asked for at another one, and is there again when that is linked again', async () => {
  const { here, there } = await ground('First')
  const id = await projectOf(here, 'first')
  const deployment = (await promote(here, id, { image })).body.deployment_id
  await endThere(deployment)
  await ended(here, id)
  expect((await unlink(here)).body).toMatchObject({ success: true, revokedThere: true })
  const away = await here.owner.api('GET', `/api/deployments/${deployment}`)
  expect([away.status, away.body.code]).toEqual([503, 'cloud_unreachable'])
  expect(away.body.hint).toBe(`Link it to First at ${line.url} again.`)

  const second = await another('Second')
  expect(await linkTo(here, second)).toMatchObject({ state: 'linked', organization: { name: 'Second' } })
  for (const [method, rest] of [
    ['GET', ''],
    ['GET', '/logs'],
    ['POST', '/restart'],
    ['DELETE', '?force=true'],
  ] as const) {
    const { status, body } = await here.owner.api(method, `/api/deployments/${deployment}${rest}`)
    expect([status, body.code], rest).toEqual([503, 'cloud_unreachable'])
    expect(body.message ?? body.error).toContain(`It is with First at ${line.url}`)
  }
  const { data } = (await here.owner.api('GET', `/api/deployments?projectId=${id}`)).body
  expect(data).toMatchObject([{ id: deployment, status: 'ready', asOf: expect.any(String), unreachable: true }])
  const asked = line.asked.length
  const again = await promote(here, id, { image })
  expect([again.status, again.body.code]).toEqual([503, 'cloud_unreachable'])
  expect(again.body.hint).toContain('give the project back')
  expect(line.asked.length, 'the other one is not asked').toBe(asked)

  await unlink(here)
  await linkTo(here, there)
  expect((await here.owner.api('GET', `/api/deployments/${deployment}`)).body).toMatchObject({ status: 'ready' })
  const next = await promote(here, id, { image })
  await endThere(next.body.deployment_id)
  expect(await ended(here, id)).toMatchObject({ state: 'promoted' })
  expect([await countThere('project', there), await countThere('project', second)]).toEqual([1, 0])
})

test('what is given back while another one is linked is said to be left where it is, and can be promoted anew', async () => {
  const { here, there } = await ground('Left')
  const id = await projectOf(here, 'left')
  const deployment = (await promote(here, id, { image })).body.deployment_id
  await endThere(deployment)
  await ended(here, id)
  await unlink(here)
  const second = await another('Right')
  await linkTo(here, second)
  const given = (await here.owner.api('DELETE', `/api/projects/${id}/promotion`)).body
  expect(given).toMatchObject({ success: true, deletedThere: false })
  expect(given.hint).toContain(`It is with Left at ${line.url}`)
  expect(await countThere('project', there)).toBe(1)
  // An id that is taken by another organization cannot be had at the same cloud: at another cloud it could.
  expect((await promote(here, id, { image })).status).toBe(201)
  expect(await ended(here, id)).toMatchObject({ state: 'failed', error: { code: 'conflict' } })
})

test('a link is not ended under a promotion; where it is all the same, that ends there and does not go on elsewhere', async () => {
  const { here, there } = await ground('Under way')
  const id = await projectOf(here, 'under-way')
  const { deployment_id: deployment } = (await promote(here, id, { image })).body
  await at(here, id, 'await')
  const refused = await unlink(here)
  expect([refused.status, refused.body.code]).toEqual([409, 'promotion_running'])
  expect(refused.body.error).toContain('under-way')
  const second = await another('Not this one')
  await line.being('cut', async () => {
    expect((await unlink(here, '?force=true')).body).toMatchObject({ success: true, revokedThere: false })
  })
  await linkTo(here, second)
  const end = await ended(here, id)
  expect(end).toMatchObject({ state: 'failed', error: { code: 'cloud_unreachable' } })
  expect(end.error.message).toContain('could not be taken back')
  expect([await countThere('project', there), await countThere('project', second)]).toEqual([1, 0])
  expect((await here.owner.api('GET', `/api/projects/${id}`)).body.target).toBe('server')
  expect((await promotion(here, id)).deploymentId).toBe(deployment)
  const { rows } = await home.platform.pool.query('select cloud_org_id from project where id = $1', [id])
  expect(rows).toEqual([{ cloud_org_id: there.id }])
})
