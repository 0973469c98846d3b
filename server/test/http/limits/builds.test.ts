import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { type Org, startWorld } from '../../../../test-kit/world.ts'
import { inTurn } from '../../../src/core/deployments/release/make-image.ts'
import { buildsOf } from '../../../src/core/limits/store.ts'
import { makeDeployment } from '../../deployments/made.ts'
import { giveLimits, limited, shownLimit } from './stage.ts'

const world = await startWorld(limited({ concurrentBuilds: 2 }))
const home = await startWorld()

/** Asks for a turn as a build does; tells which place was asked for, and what was said. */
async function ask(org: Org, { platform } = world, id = 'dep_asking') {
  const places: [name: string, most: number][] = []
  const lines: string[] = []
  const limit = (name: string, most: number, _: AbortSignal, work: () => Promise<unknown>) => {
    places.push([name, most])
    return work()
  }
  const events = { write: (_: string, { line }: { line: string }) => void lines.push(line) }
  const context = { parts: platform, run: { id, limit }, deployment: { orgId: org.id }, events }
  const built = await inTurn(context as never, 'web', new AbortController().signal, async () => 'an image')
  return { built, places, lines }
}

/** A build of the organization that has its place. */
async function hold(org: Org): Promise<string> {
  const { id } = await makeDeployment(world, org)
  await sql`insert into run_limit (name, run_id, fence, most, held) values (${buildsOf(org.id)}, ${id}, 1, 2, true)`.execute(
    world.platform.db,
  )
  return id
}

test('a build takes one of the places of its organization, and says that it waits where all are taken', async () => {
  const org = await world.org()
  expect(await ask(org)).toEqual({ built: 'an image', places: [[buildsOf(org.id), 2]], lines: [] })
  await hold(org)
  expect((await ask(org)).lines).toEqual([])
  const second = await hold(org)
  // The one that was called to its place waits no more.
  expect((await ask(org, world, second)).lines).toEqual([])
  expect((await ask(org)).lines).toEqual([
    'The organization builds 2 of the 2 images that it may build at once: this build waits for its turn.',
  ])
  expect(await shownLimit(org, 'concurrentBuilds')).toMatchObject({ used: 2, most: 2, unit: 'count' })
})

test('builds of another organization have places of their own, as many as the operator gave it and at least one', async () => {
  const [busy, other] = [await world.org(), await world.org()]
  for (const _ of [1, 2]) await hold(busy)
  await giveLimits(world, other, { concurrentBuilds: 7 })
  expect(await ask(other)).toMatchObject({ places: [[buildsOf(other.id), 7]], lines: [] })
  await giveLimits(world, other, { concurrentBuilds: 0 })
  expect(await ask(other)).toMatchObject({ places: [[buildsOf(other.id), 1]], lines: [] })
})

test('a self-hosted instance builds as much at once as its servers do', async () => {
  expect(await ask(await home.org(), home)).toEqual({ built: 'an image', places: [], lines: [] })
})
