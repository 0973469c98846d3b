import { expect, test } from 'vitest'
import { newId } from '../../src/db/ids.ts'
import { startTwoWorlds } from '../http/links/two-worlds.ts'

const { cloud, home, linked, secretsOf } = await startTwoWorlds()
/** An organization at the cloud with a server, and the instance that is linked to it. */
async function ground(name: string) {
  const { here, there } = await linked(name)
  await there.owner.api('POST', '/api/servers', { kind: 'ssh', name: 'there', host: '192.0.2.7' })
  return { there, link: cloud.as((await secretsOf(here)).credential) }
}
const ONE = await ground('one')
const image = 'busybox:1'

test('an instance that is linked brings its ids along, and asking again makes nothing twice', async () => {
  const { there, link } = ONE
  const [id, deploymentId] = [newId('prj'), newId('dep')]
  const made = await link('POST', '/api/projects', { id, name: 'mine' })
  expect([made.status, made.body.id]).toEqual([201, id])
  const again = await Promise.all([1, 2, 3].map(() => link('POST', '/api/projects', { id, name: 'another' })))
  for (const { status, body } of again) expect([status, body.id, body.name]).toEqual([201, id, 'mine'])
  const deploy = () => link('POST', '/api/deployments/build/access', { projectId: id, deploymentId, image })
  for (const { status, body } of [await deploy(), ...(await Promise.all([deploy(), deploy(), deploy()]))])
    expect([status, body]).toEqual([201, { success: true, deployment_id: deploymentId, project_id: id }])
  const { data } = (await there.owner.api('GET', `/api/deployments?projectId=${id}`)).body
  expect(data).toMatchObject([{ id: deploymentId, number: 1, trigger: 'promote' }])
})

test('two that bring the same id at once make one', async () => {
  const { link } = ONE
  for (let n = 0; n < 5; n++) {
    const [id, deploymentId] = [newId('prj'), newId('dep')]
    const all = await Promise.all([1, 2, 3].map(() => link('POST', '/api/projects', { id, name: `at once ${n}` })))
    expect(all.map(({ status }) => status)).toEqual([201, 201, 201])
    const body = { projectId: id, deploymentId, image }
    const made = await Promise.all([1, 2, 3].map(() => link('POST', '/api/deployments/build/access', body)))
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201])
  }
})

test('nobody else chooses an id: no token, no session, and nobody at an instance of one’s own', async () => {
  const { there } = ONE
  const project = (await there.owner.api('POST', '/api/projects', { name: 'theirs' })).body.id
  await cloud.platform.pool.query('delete from rate_limit')
  const headers = await cloud.session(there.owner)
  const alone = await home.org('alone')
  const own = (await alone.owner.api('POST', '/api/projects', { name: 'own' })).body.id
  for (const [ask, projectId, more] of [
    [there.owner.api, project, {}],
    [cloud.as(''), project, headers],
    [alone.owner.api, own, {}],
  ] as const) {
    const made = await ask('POST', '/api/projects', { id: newId('prj'), name: 'chosen' }, more)
    expect([made.status, made.body.field]).toEqual([400, 'id'])
    const body = { projectId, deploymentId: newId('dep'), image }
    const deployed = await ask('POST', '/api/deployments/build/access', body, more)
    expect([deployed.status, deployed.body.field]).toEqual([400, 'deploymentId'])
  }
})

test('an id that exists elsewhere is not to be had, and whose it is is not told', async () => {
  const other = await ground('other')
  const [id, deploymentId] = [newId('prj'), newId('dep')]
  await other.link('POST', '/api/projects', { id, name: 'their secret' })
  await other.link('POST', '/api/deployments/build/access', { projectId: id, deploymentId, image })
  const { link } = ONE
  const made = await link('POST', '/api/projects', { id, name: 'x' })
  expect([made.status, made.body.error]).toEqual([409, 'This id cannot be had.'])
  const { body: own } = await link('POST', '/api/projects', { name: 'x' })
  const deployed = await link('POST', '/api/deployments/build/access', { projectId: own.id, deploymentId, image })
  expect([deployed.status, deployed.body.error]).toEqual([409, 'This id cannot be had.'])
  // Of another project of the same organization, too.
  const mine = newId('dep')
  const second = (await link('POST', '/api/projects', { name: 'y' })).body.id
  await link('POST', '/api/deployments/build/access', { projectId: own.id, deploymentId: mine, image })
  const wrong = await link('POST', '/api/deployments/build/access', { projectId: second, deploymentId: mine, image })
  expect(wrong.status).toBe(409)
})
