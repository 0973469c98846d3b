import type { Deployment } from '@slipway/contract/deployment-shape'
import { describe, expect, test } from 'vitest'
import type { Api } from '../../../../test-kit/world.ts'
import { newId } from '../../../src/db/ids.ts'
import { makeDeployment } from '../../deployments/made.ts'
import { cloudProject, link, linkedWorlds, shownAs, startHome, stub } from './linked.ts'
import { answering, startStandIn } from './stand-in.ts'

const { cloud, here, there, org, projectId, deploy } = await linkedWorlds()
const alone = await startHome()
type Listed = Pick<Deployment, 'id' | 'status' | 'projectId' | 'asOf' | 'unreachable' | 'actions'>
type Page = { data: Listed[]; nextCursor: string | null; unreachable?: true }
const list = async (api: Api, query = ''): Promise<Page> => (await api('GET', `/api/deployments?${query}`)).body
const idsOf = ({ data }: Page) => data.map(({ id }) => id)

describe('deployments here and in the cloud', () => {
  test('are one list, newest first, page by page without a hole or a repeat', async () => {
    const made: string[] = []
    for (let n = 0; n < 9; n++) made.push((n % 3 === 1 ? await makeDeployment(here, org) : await deploy()).id)
    const newest = made.toReversed()
    expect(idsOf(await list(org.owner.api, 'limit=9'))).toEqual(newest)
    for (const limit of [1, 2, 4]) {
      const seen: string[] = []
      let cursor = ''
      do {
        const page = await list(org.owner.api, `limit=${limit}${cursor}`)
        expect(page.data.length).toBeLessThanOrEqual(limit)
        seen.push(...idsOf(page))
        cursor = page.nextCursor === null ? '' : `&cursor=${page.nextCursor}`
      } while (cursor !== '')
      expect(seen).toEqual(newest)
    }
  })

  test('are shown as they are now, of the project that is here, to whoever may do what', async () => {
    const { id } = await deploy()
    const ended = { status: 'cancelled', finishedAt: new Date() } as const
    await cloud.platform.db.updateTable('deployment').set(ended).where('id', '=', id).execute()
    const viewer = await here.person(org.id, 'viewer')
    const [first] = (await list(viewer.api, 'limit=1')).data
    expect(first).toMatchObject({ id, status: 'cancelled', projectId, project: { id: projectId }, server: null })
    expect([first?.asOf, first?.unreachable]).toEqual([undefined, undefined])
    expect(first?.actions.redeploy).toEqual({ allowed: false, reason: 'This needs the permission deployment:write.' })
    const [mine] = (await list(org.owner.api, 'limit=1')).data
    expect(mine?.actions.redeploy?.allowed).toBe(true)
  })

  test('are found by project, status, branch, number and id', async () => {
    const own = await cloudProject(here, org)
    // Of one millisecond, in any order.
    const [one = '', two = ''] = [newId('dep'), newId('dep')].sort()
    await stub(here, org.id, own, shownAs(one, { number: 4, status: 'ready', active: true }))
    await stub(here, org.id, own, shownAs(two, { number: 5, source: { kind: 'git', branch: 'next' } }))
    const found = async (query: string) => idsOf(await list(org.owner.api, `projectId=${own}&${query}`))
    expect(await found('')).toEqual([two, one])
    expect(await found('status=ready')).toEqual([one])
    expect(await found('active=true')).toEqual([one])
    expect(await found('status=ready,queued')).toContain(one)
    expect(await found('by=x')).toEqual([two, one])
    expect(await found('by=nobody')).toEqual([])
    expect(await found('branch=next')).toEqual([two])
    expect(await found('number=4')).toEqual([one])
    expect(await found(`ids=${one},${newId('dep')}`)).toEqual([one])
  })

  test('one that the cloud has not heard of is shown as it was seen', async () => {
    const own = await cloudProject(here, org)
    const id = newId('dep')
    await stub(here, org.id, own, shownAs(id))
    const [only] = (await list(org.owner.api, `projectId=${own}`)).data
    expect([only?.id, typeof only?.asOf, only?.unreachable]).toEqual([id, 'string', undefined])
  })
})

describe('a list by how deployments stand', () => {
  const ended = { status: 'cancelled', finishedAt: new Date() } as const

  test('finds those of the cloud by what they are now, not by what was seen of them last', async () => {
    const [one, other] = [await deploy(), await deploy()]
    await cloud.platform.db.updateTable('deployment').set(ended).where('id', '=', one.id).execute()
    const ids = `ids=${one.id},${other.id}`
    expect(idsOf(await list(org.owner.api, `${ids}&status=cancelled`))).toEqual([one.id])
    const building = await list(org.owner.api, `${ids}&status=building`)
    expect([idsOf(building), building.unreachable]).toEqual([[other.id], undefined])
  })

  test.each(['status=building', 'status=failed', 'active=true', ''])(
    'says so where that could not be asked: %s',
    async (query) => {
      const away = await startStandIn(answering({ success: false }, 503))
      const theirs = await alone.org()
      await link(alone, theirs.id, away.url, 'slp_x')
      const project = await cloudProject(alone, theirs)
      const made = await makeDeployment(alone, theirs, { ended: new Date(), active: true })
      expect((await list(theirs.owner.api, query)).unreachable, 'nothing is there').toBeUndefined()
      const id = newId('dep')
      await stub(alone, theirs.id, project, shownAs(id))
      const page = await list(theirs.owner.api, query)
      expect(page.unreachable).toBe(true)
      const found = { 'status=building': [id], 'status=failed': [], 'active=true': [made.id], '': [id, made.id] }
      expect(idsOf(page)).toEqual(found[query as keyof typeof found])
    },
  )

  test('of one that has ended and serves nobody nothing has to be asked', async () => {
    const { id } = await deploy({ ended: new Date() })
    const page = await list(org.owner.api, `ids=${id}&status=failed`)
    expect([page.data, page.unreachable]).toEqual([[], undefined])
  })
})

test('nobody sees what another organization has in the cloud, nor a token of one project what another has', async () => {
  const { id } = await deploy()
  const other = await here.org('Other')
  expect((await list(other.owner.api, `ids=${id}`)).data).toEqual([])
  const elsewhere = await cloudProject(here, org)
  const narrow = here.as(await here.tokenFor(org.owner, { projectId: elsewhere }))
  expect((await list(narrow, `ids=${id}`)).data).toEqual([])
  expect((await list(narrow, `projectId=${projectId}`)).data).toEqual([])
  const inside = here.as(await here.tokenFor(org.owner, { projectId }))
  expect(idsOf(await list(inside, `ids=${id}`))).toEqual([id])
})

test('of the cloud itself, only deployments of the organization that asks are found by their ids', async () => {
  const stranger = await cloud.org('Stranger')
  const [mine, theirs] = [await makeDeployment(cloud, there), await makeDeployment(cloud, stranger)]
  expect(idsOf(await list(there.owner.api, `ids=${mine.id},${theirs.id}`))).toEqual([mine.id])
  for (const ids of ['', 'dep_', 'x', `${mine.id},`, 'dep_a;dep_b', Array(201).fill('dep_a').join(',')])
    expect(await list(there.owner.api, `ids=${ids}`)).toMatchObject({ code: 'invalid_request', field: 'ids' })
})

describe('a list', () => {
  test('refuses a cursor that cannot be read, once, and nothing is left that nobody waits for', async () => {
    const left: unknown[] = []
    const note = (reason: unknown) => left.push(reason)
    process.on('unhandledRejection', note)
    const theirs = await alone.org()
    expect(await list(theirs.owner.api, 'cursor=%24%28touch%29')).toMatchObject({
      code: 'invalid_request',
      field: 'cursor',
    })
    await new Promise((next) => setTimeout(next, 50))
    process.off('unhandledRejection', note)
    expect(left).toEqual([])
  })

  test('asks the cloud once, whatever it shows, and not at all where nothing of it is there', async () => {
    const standIn = await startStandIn(answering({ data: [], nextCursor: null }))
    const theirs = await alone.org()
    await link(alone, theirs.id, standIn.url, 'slp_x')
    await list(theirs.owner.api)
    expect(standIn.seen).toEqual([])
    const project = await cloudProject(alone, theirs)
    for (let n = 0; n < 20; n++) await stub(alone, theirs.id, project, shownAs(newId('dep')))
    expect((await list(theirs.owner.api)).data).toHaveLength(20)
    expect(standIn.seen).toHaveLength(1)
  })

  test.each([
    ['hangs', () => {}],
    ['answers what is no list', answering({ data: [{ id: 1 }, null, 'x'] })],
    ['answers something else', answering({ data: 'x' })],
    ['refuses', answering({ success: false }, 403)],
  ] as const)(
    'waits for a cloud that %s not half as long as a call of its own would, and says what it has not seen',
    async (_, does) => {
      const standIn = await startStandIn(does)
      const theirs = await alone.org()
      await link(alone, theirs.id, standIn.url, 'slp_x')
      const id = newId('dep')
      await stub(alone, theirs.id, await cloudProject(alone, theirs), shownAs(id))
      const began = performance.now()
      for (let n = 0; n < 4; n++) {
        const [only] = (await list(theirs.owner.api)).data
        expect([only?.id, only?.status, typeof only?.asOf]).toEqual([id, 'building', 'string'])
      }
      expect(performance.now() - began).toBeLessThan(4 * 5000)
      // That a list has little time says nothing about the cloud.
      standIn.does(answering({ success: true }))
      expect((await theirs.owner.api('GET', `/api/deployments/${id}`)).status).toBe(200)
    },
  )
})
