import { expect, test } from 'vitest'
import { type Org, startWorld } from '../../../../test-kit/world.ts'
import { admitLines } from '../../../src/core/deployments/events/admit-lines.ts'
import { eventWriter } from '../../../src/core/deployments/events/events.ts'
import { CLAIM, makeDeployment } from '../../deployments/made.ts'
import { giveLimits, limited, shownLimit } from './stage.ts'

const world = await startWorld(limited({ logBytesPerDay: 100 }))
const home = await startWorld()

/** Writes events of a new deployment, each of these batches by itself; answers with what is stored. */
async function print(org: Org, batches: string[][], { platform, ...rest } = world): Promise<string[]> {
  const { id } = await makeDeployment({ platform, ...rest } as typeof world, org)
  const admit = await admitLines(platform, org.id)
  const options = { db: platform.db, changes: platform.changes, id, fence: CLAIM, redact: (text: string) => text }
  const writer = eventWriter({ ...options, onLost: () => {}, admit })
  for (const batch of batches) {
    writer.write('step', { step: 'build' })
    for (const line of batch) writer.write('log', { service: 'web', step: 'build', stream: 'stdout', line })
    await writer.flush()
  }
  const { rows } = await platform.pool.query(
    `select coalesce(data ->> 'line', type) as said from deployment_event where deployment_id = $1 order by seq`,
    [id],
  )
  return rows.map(({ said }) => said)
}
const long = 'x'.repeat(50)

test('lines beyond what a day may have are left out, with one line that says so and what to do; all else is kept', async () => {
  const org = await world.org()
  const stored = await print(org, [[long, long], ['one more', 'and more'], ['still more']])
  const notice =
    'Lines from here on are not kept: deployments of the organization printed 100 bytes within a day, and 100 bytes are kept. Let builds print less, wait until the lines of a day ago count no more, or ask whoever runs this instance for more.'
  expect(stored).toEqual(['step', long, long, 'step', notice, 'step'])
  expect(await shownLimit(org, 'logBytesPerDay')).toMatchObject({ used: 100, most: 100, unit: 'bytes' })
  // Each deployment says it for itself.
  expect(await print(org, [['other']])).toEqual(['step', notice])
})

test('lines of more than a day ago count no more, and those of another organization never do', async () => {
  const [org, other] = [await world.org(), await world.org()]
  await print(org, [[long, long]])
  expect(await print(other, [['theirs']])).toEqual(['step', 'theirs'])
  await world.platform.pool.query(`update organization_log set hour = hour - interval '25 hours' where org_id = $1`, [
    org.id,
  ])
  expect(await print(org, [['a new day']])).toEqual(['step', 'a new day'])
})

test('an organization with a limit of its own has that one, and one without a limit is not counted', async () => {
  const [more, free] = [await world.org(), await home.org()]
  await giveLimits(world, more, { logBytesPerDay: 1000 })
  expect(await print(more, [[long, long], [long]])).toEqual(['step', long, long, 'step', long])
  expect(await print(free, [[long, long], [long]], home)).toEqual(['step', long, long, 'step', long])
  expect((await home.platform.pool.query('select 1 from organization_log')).rowCount).toBe(0)
})
