import { expect, test } from 'vitest'
import { type Org, startWorld } from '../../../../test-kit/world.ts'
import { withinMemory } from '../../../src/core/deployments/release/size.ts'
import type { Release } from '../../../src/core/deployments/rows/release.ts'
import * as store from '../../../src/core/deployments/rows/store.ts'
import { transaction } from '../../../src/db/database.ts'
import { makeDeployment } from '../../deployments/made.ts'
import { giveLimits, limited, shownLimit } from './stage.ts'

const MIB = 1024 ** 2
const world = await startWorld(limited({ memoryBytes: 1024 * MIB }))
const home = await startWorld()

const release = (...services: { memoryBytes?: number; replicas: number }[]) => ({ services }) as Release
const of = (mib: number) => release({ memoryBytes: mib * MIB, replicas: 1 })

/** What the release step does before anything reaches the engine. */
async function ask(id: string, org: Org, wanted: Release, { platform } = world) {
  const deployment = await store.load(platform.db, org.id, id)
  const run = { write: (work: Parameters<typeof transaction>[1]) => transaction(platform.db, work) }
  return withinMemory({ parts: platform, run, deployment } as never, wanted)
}
const begin = async (org: Org) => (await makeDeployment(world, org)).id
const finish = (id: string, end: { status: 'ready' | 'failed'; active: boolean }) =>
  store.update(world.platform.db, id, { ...end, finishedAt: new Date() })

test('releases that would have more memory together than the organization may have are refused before they are rolled out', async () => {
  const org = await world.org()
  await ask(await begin(org), org, release({ memoryBytes: 256 * MIB, replicas: 2 }))
  await ask(await begin(org), org, of(512))
  await expect(ask(await begin(org), org, of(1))).rejects.toMatchObject({
    code: 'limit_reached',
    message:
      'The releases of the organization ask for 1 GiB of the 1 GiB of memory that they may have together, and this one asks for more than is left.',
    details: {
      hint: expect.stringMatching(/^Lower memoryMb .* or ask whoever runs this instance for more\.$/),
      limit: { kind: 'memoryBytes', most: 1024 * MIB, used: 1024 * MIB },
    },
  })
  expect(await shownLimit(org, 'memoryBytes')).toMatchObject({ used: 1024 * MIB, most: 1024 * MIB, unit: 'bytes' })
})

test('of several releases that come for the last memory at once exactly one goes on', async () => {
  const org = await world.org()
  await ask(await begin(org), org, of(512))
  const ids = [await begin(org), await begin(org), await begin(org)]
  const ends = await Promise.allSettled(ids.map((id) => ask(id, org, of(512))))
  expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected'])
})

test('a release takes the place of the one that is active, and one that asks for no more is never refused', async () => {
  const org = await world.org()
  const { id, projectId } = await makeDeployment(world, org)
  await ask(id, org, of(1000))
  await finish(id, { status: 'ready', active: true })
  const next = await begin(org)
  await world.platform.pool.query('update deployment set project_id = $2, number = 9 where id = $1', [next, projectId])
  await ask(next, org, of(1000))
  expect(await shownLimit(org, 'memoryBytes')).toMatchObject({ used: 1000 * MIB })
  await giveLimits(world, org, { memoryBytes: 10 * MIB })
  await ask(next, org, of(900))
  await expect(ask(next, org, of(1001))).rejects.toThrow('1000 MiB of the 10 MiB')
})

test('a deployment that ends without a release, and a deleted project, free their memory; others are not affected', async () => {
  const [org, other] = [await world.org(), await world.org()]
  const failing = await begin(org)
  await ask(failing, org, of(1024))
  await ask(await begin(other), other, of(1024))
  const next = await makeDeployment(world, org)
  await expect(ask(next.id, org, of(1024))).rejects.toThrow('of memory')
  await finish(failing, { status: 'failed', active: false })
  await ask(next.id, org, of(1024))
  await finish(next.id, { status: 'ready', active: true })
  await world.platform.pool.query('delete from project where id = $1', [next.projectId])
  await ask(await begin(org), org, of(1024))
})

test('a service that says nothing of memory has what is counted for it where memory is limited, and is left alone elsewhere', async () => {
  const [org, free] = [await world.org(), await home.org()]
  const silent = release({ replicas: 2 })
  expect((await ask(await begin(org), org, silent)).services).toEqual([{ memoryBytes: 512 * MIB, replicas: 2 }])
  expect(await shownLimit(org, 'memoryBytes')).toMatchObject({ used: 1024 * MIB })
  const { id } = await makeDeployment(home, free)
  expect((await ask(id, free, release({ replicas: 50 }), home)).services).toEqual([{ replicas: 50 }])
})
