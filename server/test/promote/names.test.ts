import { expect, test } from 'vitest'
import { until } from '../../../test-kit/until.ts'
import type { Org } from '../../../test-kit/world.ts'
import { MADE_THERE, PATIENCE_MS, projectOf, promote, startStage } from './stage.ts'

const { cloud, line, ground, ended, endThere, countThere, at, replaceWorker } = await startStage()

const image = 'busybox:1'
const remove = ({ owner }: Org, id: string, place: string) =>
  owner.api('DELETE', `/api/projects/${id}/domains/${place}`)
const add = ({ owner }: Org, id: string, more: object) => owner.api('POST', `/api/projects/${id}/domains`, more)

type Shown = { host: string; kind: string; targetPath: string | null }
async function namesOf({ owner }: Org, id: string): Promise<string[]> {
  const { data } = (await owner.api('GET', `/api/projects/${id}/domains`)).body as { data: Shown[] }
  return data.flatMap(({ host, kind, targetPath }) => (kind === 'custom' ? [host + (targetPath ?? '')] : []))
}

async function promoted(here: Org, id: string) {
  const { deployment_id: deployment } = (await promote(here, id, { image })).body
  await endThere(deployment)
  expect(await ended(here, id)).toMatchObject({ state: 'promoted', error: null })
  return deployment as string
}

test('a name or path that is gone here is gone there after the next promotion; what was added there alone stays', {
  timeout: 120_000,
}, async () => {
  const { here, there } = await ground('gone')
  const id = await projectOf(here, 'gone')
  expect((await add(here, id, { host: 'gone.example.com', targetPath: '/api' })).status).toBe(201)
  await promoted(here, id)
  expect(await namesOf(there, id)).toEqual(['a.gone.example.com', 'gone.example.com', 'gone.example.com/api'])

  expect((await add(there, id, { host: 'only-there.example.com' })).status).toBe(201)
  for (const place of ['a.gone.example.com', 'gone.example.com?targetPath=/api'])
    expect((await remove(here, id, place)).status, place).toBe(200)
  await promoted(here, id)
  expect(await namesOf(there, id)).toEqual(['gone.example.com', 'only-there.example.com'])

  // The other way round, which is refused while the one that is gone is in the way.
  await add(here, id, { host: 'b.gone.example.com', redirectTo: 'gone.example.com' })
  await promoted(here, id)
  await remove(here, id, 'b.gone.example.com')
  await add(here, id, { host: 'new.gone.example.com' })
  await add(here, id, { host: 'gone.example.com', redirectTo: 'new.gone.example.com' })
  await promoted(here, id)
  expect(await namesOf(there, id)).toEqual(['gone.example.com', 'new.gone.example.com', 'only-there.example.com'])
})

test('a name that is removed here while it is being sent does not stay there', { timeout: 90_000 }, async () => {
  const { here, there } = await ground('meanwhile')
  const id = await projectOf(here, 'meanwhile')
  let held = false
  await line.being(
    ({ method, url }) => {
      if (held || method !== 'POST' || url !== `/api/projects/${id}/domains`) return 'through'
      held = true
      return 'answer held'
    },
    async () => {
      await promote(here, id, { image })
      await until('it is there', PATIENCE_MS, async () => (await countThere('host_name', there)) === 1 || undefined)
      expect(await namesOf(there, id)).toEqual(['meanwhile.example.com'])
      expect((await remove(here, id, 'meanwhile.example.com')).status).toBe(200)
      await replaceWorker()
    },
  )
  await at(here, id, 'await')
  expect(await namesOf(there, id)).toEqual(['a.meanwhile.example.com'])
})

test('a name that the cloud refuses ends the promotion with what to do; everything is as it was, here and there', async () => {
  const { here, there } = await ground('refused-name')
  const holder = await cloud.org('holder')
  const { body: theirs } = await holder.owner.api('POST', '/api/projects', { name: 'theirs' })
  expect((await add(holder, theirs.id, { host: 'wanted.example.com' })).status).toBe(201)
  const id = await projectOf(here, 'wanted')
  const refused = {
    state: 'failed',
    step: 'domains',
    error: {
      code: 'name_taken',
      message: expect.stringContaining('wanted.example.com'),
      hint: expect.stringMatching(
        new RegExp(`TXT _slipway\\.wanted\\.example\\.com to ${there.id}.* Then promote again`),
      ),
    },
  }
  const { deployment_id: first } = (await promote(here, id, { image })).body
  expect(await ended(here, id)).toMatchObject(refused)
  for (const table of MADE_THERE) expect(await countThere(table, there), table).toBe(0)
  expect((await here.owner.api('GET', `/api/projects/${id}`)).body.target).toBe('server')
  expect(await namesOf(here, id)).toEqual(['a.wanted.example.com', 'wanted.example.com'])
  expect((await here.owner.api('GET', `/api/deployments/${first}`)).body.status).toBe('failed')

  await remove(holder, theirs.id, 'wanted.example.com')
  const second = await promoted(here, id)
  // Of one that is there already, the release that serves goes on.
  expect((await add(holder, theirs.id, { host: 'more.example.com' })).status).toBe(201)
  await add(here, id, { host: 'more.example.com' })
  await promote(here, id, { image })
  const { state, step, error } = await ended(here, id)
  expect([state, step, error.code]).toEqual(['failed', 'domains', 'name_taken'])
  expect((await here.owner.api('GET', `/api/projects/${id}`)).body.target).toBe('cloud')
  const serving = (await here.owner.api('GET', `/api/deployments/${second}`)).body
  expect([serving.status, serving.active]).toEqual(['ready', true])
})
