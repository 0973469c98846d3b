import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { startWorld } from '../../../test-kit/world.ts'
import { sweepFolders } from '../../src/core/deployments/converge/garbage.ts'
import { sweepArchive } from '../../src/core/deployments/events/history/retention.ts'
import { claimInstance, noteProgress } from '../../src/core/instance/claim.ts'
import { sweepOrphans } from '../../src/core/uploads/sweep.ts'
import { readIdentity } from '../../src/db/identity.ts'
import { newId } from '../../src/db/ids.ts'
import { projectFolders } from '../../src/drivers/builder/project-folders.ts'

const world = await startWorld()
const { platform, dataDir } = world
const org = await world.org()
const mark = join(dataDir, 'instance.json')
const marked = readFileSync(mark, 'utf8')
const id = JSON.parse(marked).instance

/** Files that no row names, in every place that is swept, and old enough to be. */
function strays(): string[] {
  const deployment = newId('dep')
  const names = [
    join('blobs', org.id, 'ab', `${'ab'.repeat(32)}.0123456789abcdef`),
    join('logs', org.id, deployment.slice(-2), deployment, '1-2.0123456789abcdef.zst'),
    join('repositories', newId('prj'), 'HEAD'),
  ]
  return names.map((name) => {
    const path = join(dataDir, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, 'x')
    utimesSync(path, new Date(0), new Date(0))
    return path
  })
}
async function sweepAll(): Promise<void> {
  await sweepOrphans(platform)
  await sweepArchive(platform)
  await sweepFolders({ ...platform, folders: projectFolders(dataDir) })
}
const left = (paths: string[]) => paths.filter((path) => existsSync(path)).length
const wentBack = (when: string) => platform.pool.query(`update instance set went_back_at = ${when}`)

beforeEach(async () => {
  writeFileSync(mark, marked)
  await wentBack('null')
})

test('what no row names is deleted from the data directory of the instance', async () => {
  const paths = strays()
  await sweepAll()
  expect(left(paths)).toBe(0)
})

test('nothing is deleted from a directory that is marked for another instance, or for none', async () => {
  const paths = strays()
  writeFileSync(mark, JSON.stringify({ instance: newId('ins') }))
  await sweepAll()
  expect(left(paths)).toBe(paths.length)
})

test('nothing is deleted by a database that is a copy, or was restored', async () => {
  const paths = strays()
  const { rows } = await platform.pool.query('select database from instance')
  await platform.pool.query(`update instance set database = '1/2/3'`)
  await sweepAll()
  await platform.pool.query('update instance set database = $1', [rows[0].database])
  expect(left(paths)).toBe(paths.length)
})

test('nothing is deleted for a day after the database lost something', async () => {
  const paths = strays()
  for (const when of ['now()', `now() - interval '23 hours'`]) {
    await wentBack(when)
    await sweepAll()
    expect(left(paths)).toBe(paths.length)
  }
  await wentBack(`now() - interval '25 hours'`)
  await sweepAll()
  expect(left(paths)).toBe(0)
})

test('a start that finds a shorter log than the last process saw compares every server', async () => {
  const server = { id: newId('srv'), orgId: org.id, name: 'far', kind: 'ssh' as const }
  await platform.db
    .insertInto('server')
    .values({ ...server, compareAt: new Date(Date.now() + 3600_000) })
    .execute()
  await noteProgress(platform)
  const now = await readIdentity(platform.pool)
  expect(await claimInstance(platform, now)).toEqual({ id, wentBack: false })
  // The disk of PostgreSQL was put back to yesterday's.
  const ahead = `${(now.flushed ?? 0n) + 10_000_000_000n}`
  writeFileSync(mark, JSON.stringify({ instance: id, flushed: ahead }))
  expect(await claimInstance(platform, now)).toEqual({ id, wentBack: true })
  const { rows } = await platform.pool.query(
    'select compare_at <= now() as due, (select went_back_at is not null from instance) as noted from server where id = $1',
    [server.id],
  )
  expect(rows).toEqual([{ due: true, noted: true }])
  expect(await claimInstance(platform, await readIdentity(platform.pool))).toEqual({ id, wentBack: false })
})
