import { type RequestListener, request } from 'node:http'
import { beforeEach, describe, expect, test } from 'vitest'
import { until } from '../../../../test-kit/until.ts'
import { reconcileWrites } from '../../../src/core/cloud/writes/reconcile.ts'
import { newId } from '../../../src/db/ids.ts'
import { makeDeployment } from '../../deployments/made.ts'
import { cloudProject, link, linkedWorlds, shownAs, stub } from './linked.ts'
import { answering, startStandIn } from './stand-in.ts'

const { cloud, here, url, there } = await linkedWorlds()
const { db } = here.platform
const never = new AbortController().signal
const unknown = { success: false, error: 'No such deployment.', code: 'not_found' }

/** The cloud, by a line that can be cut once a call has been done there. */
let loses = false
const line: RequestListener = (asked, response) => {
  const { method = 'GET', headers } = asked
  const onward = request(`${url}${asked.url}`, { method, headers }, (answer) => {
    if (loses) return void answer.resume().on('end', () => response.destroy())
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  asked.pipe(onward.on('error', () => response.destroy()))
}
const cut = await startStandIn(line)
const org = await here.org('By a bad line')
await link(here, org.id, cut.url, there.owner.token)
const { cloudOrgId } = await db
  .selectFrom('cloudLink')
  .select('cloudOrgId')
  .where('orgId', '=', org.id)
  .executeTakeFirstOrThrow()
/** Also where so much was lost that it is not asked for a while. */
async function mended(): Promise<void> {
  loses = false
  cut.does(line)
  await until('the cloud is asked again', 15_000, async () => (await org.owner.api('GET', steady.path)).status === 200)
}

/** One that has ended there, with its project here as a promotion leaves it. */
async function known() {
  const { id, projectId: cloudProjectId } = await makeDeployment(cloud, there, { ended: new Date() })
  const projectId = await cloudProject(here, org)
  await db.updateTable('project').set({ cloudProjectId, cloudOrgId }).where('id', '=', projectId).execute()
  await stub(here, org.id, projectId, (await there.owner.api('GET', `/api/deployments/${id}`)).body)
  return { id, projectId, cloudProjectId, path: `/api/deployments/${id}` }
}
const steady = await known()
beforeEach(mended)

const stubsOf = async (projectId: string) => {
  const rows = await db.selectFrom('cloudDeployment').select('id').where('projectId', '=', projectId).execute()
  return rows.map(({ id }) => id)
}
const writesOf = (projectId: string) =>
  db.selectFrom('cloudWrite').selectAll().where('projectId', '=', projectId).execute()
const listed = async (query: string): Promise<string[]> =>
  (await org.owner.api('GET', `/api/deployments?${query}`)).body.data.map((one: { id: string }) => one.id)
const reconcile = () => reconcileWrites(here.platform, never)

describe('a write whose answer was lost', () => {
  test('that made a deployment there: it is found, and reached here by its id', async () => {
    const { id, path, projectId, cloudProjectId } = await known()
    loses = true
    expect((await org.owner.api('POST', `${path}/redeploy`, {})).status).toBe(503)
    expect(await stubsOf(projectId)).toEqual([id])
    await mended()
    await reconcile()
    const [made] = (await there.owner.api('GET', `/api/deployments?projectId=${cloudProjectId}&limit=1`)).body.data
    expect(made.id).not.toBe(id)
    expect((await org.owner.api('GET', `/api/deployments/${made.id}`)).body.id).toBe(made.id)
    expect(await listed(`projectId=${projectId}`)).toEqual([made.id, id])
  })

  test('that removed one there: it is gone here', async () => {
    const { path, projectId } = await known()
    loses = true
    expect((await org.owner.api('DELETE', path)).status).toBe(503)
    expect(await stubsOf(projectId)).toHaveLength(1)
    await mended()
    await reconcile()
    expect(await stubsOf(projectId)).toEqual([])
    expect((await org.owner.api('GET', path)).status).toBe(404)
  })

  test('is asked about until all of it must have been done, and again where the cloud is away', async () => {
    const { path, projectId } = await known()
    loses = true
    await org.owner.api('POST', `${path}/redeploy`, {})
    await reconcile()
    const [write] = await writesOf(projectId)
    expect(write?.askAt.getTime()).toBeGreaterThan(Date.now())
    const due = { askAt: new Date(), begunAt: new Date(Date.now() - 200_000) }
    const again = () =>
      db
        .updateTable('cloudWrite')
        .set(due as { askAt: Date })
        .where('projectId', '=', projectId)
        .execute()
    await again()
    await reconcile()
    expect(await writesOf(projectId)).toHaveLength(1)
    await mended()
    await again()
    await reconcile()
    expect(await writesOf(projectId)).toEqual([])
    expect(await stubsOf(projectId)).toHaveLength(2)
  })

  test('is remembered from before it was sent, and not once its answer is here', async () => {
    const { path, projectId } = await known()
    let during = 0
    cut.does(async (asked, response) => {
      during = (await writesOf(projectId)).length
      answering({ success: true }, 202)(asked, response)
    })
    expect((await org.owner.api('POST', `${path}/restart`, {})).status).toBe(202)
    expect(during).toBe(1)
    expect(await writesOf(projectId)).toEqual([])
    cut.does(answering({ success: false, code: 'not_now' }, 400))
    expect((await org.owner.api('POST', `${path}/cancel`, {})).status).toBe(400)
    expect(await writesOf(projectId)).toEqual([])
  })

  test('never has what a cloud calls its own take the place of what is here', async () => {
    const { path, projectId, cloudProjectId } = await known()
    const mine = await makeDeployment(here, org)
    cut.does((_, response) => void response.destroy())
    await org.owner.api('POST', `${path}/redeploy`, {})
    cut.does(
      answering({ data: [shownAs(mine.id, { projectId: cloudProjectId }), shownAs(newId('dep'))], nextCursor: null }),
    )
    await reconcile()
    expect(await stubsOf(projectId)).toHaveLength(1)
    expect((await org.owner.api('GET', `/api/deployments/${mine.id}`)).body.projectId).toBe(mine.projectId)
  })
})

describe('one that was deleted at the cloud by somebody there', () => {
  const deletedThere = async () => {
    const one = await known()
    expect((await there.owner.api('DELETE', one.path)).status).toBe(200)
    return one
  }

  test('goes here with the look that does not find it, or with the list', async () => {
    const [looked, seen] = [await deletedThere(), await deletedThere()]
    expect((await org.owner.api('GET', looked.path)).status).toBe(404)
    expect(await stubsOf(looked.projectId)).toEqual([])
    expect(await listed(`projectId=${seen.projectId}`)).toEqual([])
    expect(await stubsOf(seen.projectId)).toEqual([])
  })

  test('goes with a delete here, which is told as the cloud tells it and written down', async () => {
    const { id, path, projectId } = await deletedThere()
    const answer = await org.owner.api('DELETE', path)
    expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
    expect(await stubsOf(projectId)).toEqual([])
    const { data } = (await org.owner.api('GET', `/api/audit?target=${id}`)).body
    expect(data[0]).toMatchObject({ action: 'deployment.forward', detail: { status: 404 } })
  })

  const stays = async (does: RequestListener) => {
    const { path, projectId } = await known()
    cut.does(does)
    for (const method of ['GET', 'DELETE'] as const) expect((await org.owner.api(method, path)).status).toBe(404)
    expect(await stubsOf(projectId)).toHaveLength(1)
  }

  test('stays where a gateway says so', () =>
    stays((_, response) => {
      const text = JSON.stringify(unknown)
      const head = { 'content-type': 'application/json', 'content-length': text.length }
      response.writeHead(404, head).end(text)
    }))

  test('stays where it is said of something else', () => stays(answering({ ...unknown, code: 'no_route' }, 404)))

  test('stays where a list is no answer to what was asked', async () => {
    const { id, projectId } = await known()
    for (const data of [[shownAs(newId('dep'))], [{ id: 1 }], [null], 'x']) {
      cut.does(answering({ data, nextCursor: null }))
      expect(await listed(`projectId=${projectId}`)).toEqual([id])
    }
    expect(await stubsOf(projectId)).toEqual([id])
  })

  test('stays where it is with another organization of the cloud, which is not linked', async () => {
    const { path, projectId } = await known()
    const elsewhere = { cloudOrgId: newId('org') } as object
    await db.updateTable('cloudDeployment').set(elsewhere).where('projectId', '=', projectId).execute()
    cut.does(answering(unknown, 404))
    expect((await org.owner.api('GET', path)).status).toBe(503)
    expect(await stubsOf(projectId)).toHaveLength(1)
  })
})
