import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Api } from '../../../../test-kit/world.ts'
import * as mirror from '../../../src/core/githost/mirror-store.ts'
import { connectedLogin, startGithostWorld } from './stage.ts'

const { host, world } = await startGithostWorld()
const { db } = world.platform
const org = await world.org('Acme')
const developer = await world.person(org.id, 'developer')
await connectedLogin(world, host, org, 'ada')
const { id: source } = await db.selectFrom('githostAccount').select('id').executeTakeFirstOrThrow()
await db.insertInto('githostMirror').values({ orgId: org.id, sourceKey: source, listedAt: new Date() }).execute()
await list(source, 'acme', 900)

/** Repository n was pushed to n seconds ago. */
async function list(key: string, owner: string, count: number) {
  await sql`insert into githost_repository (org_id, source_key, rank, repo_id, owner, owner_type, name, full_name_key, private,
      default_branch, pushed_at, permissions)
    select ${org.id}, ${key}, ${key === source ? 2 : 1}, n, ${owner}, 'Organization', 'repo-' || n,
      ${owner} || '/repo-' || n, true, 'main', date_trunc('day', now()) - n * interval '1 second', '{}'
    from generate_series(1, ${count}) n`.execute(db)
}

async function pages(api: Api, path: string) {
  const found: Record<string, string>[][] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const { status, body }: Awaited<ReturnType<Api>> = await api('GET', `${path}${cursor && `&cursor=${cursor}`}`)
    expect(status).toBe(200)
    found.push(body.data)
    cursor = body.nextCursor
  }
  return found
}

test('a search looks at some repositories at a time, and its pages lead to all it is about', async () => {
  const found = await pages(org.owner.api, '/api/githost/repos?q=repo-9&limit=50')
  const names = found.flat().map(({ fullName }) => fullName)
  expect(names).toEqual(['9', ...range(90, 99), '900'].map((n) => `acme/repo-${n}`))
  expect(found.map(({ length }) => length)).toEqual([11, 0, 1])
})

test('an account is not called unknown before all of its repositories were looked at', async () => {
  await rule('acme/repo-*', false)
  await rule('acme/repo-777', true)
  const found = await pages(developer.api, '/api/githost/repos?owner=Acme')
  expect(found.map((page) => page.map(({ name }) => name))).toEqual([[], ['repo-777'], []])
  expect((await developer.api('GET', '/api/githost/repos?owner=nobody')).status).toBe(404)
})

test('deliveries that a role does not see are passed by, some at a time', async () => {
  await sql`insert into githost_delivery (id, org_id, hook_key, guid, event, repo_id, repository)
    select 'ghd_' || lpad(n::text, 26, '0'), ${org.id}, 'key', n::text, 'push', case when n = 5 then 777 else n end, 'acme/x'
    from generate_series(1, 450) n`.execute(db)
  const path = '/api/githost/deliveries?repo=acme/X&limit=200'
  expect((await pages(developer.api, path)).map(({ length }) => length)).toEqual([0, 1])
  expect((await pages(org.owner.api, path)).map(({ length }) => length)).toEqual([200, 200, 50])
})

test('of several sources that list the same, each repository is shown once, also where a page stops looking', async () => {
  await list('before', 'acme', 899)
  const viewer = { orgId: org.id, role: 'owner' as const, keys: [source, 'before'] }
  const found: mirror.RepositoryRow[] = []
  let cursor: string | undefined
  do {
    const page = await mirror.list(db, viewer, { q: '-', limit: 100, cursor })
    found.push(...page.data)
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  expect(found.map(({ name }) => name)).toEqual(range(1, 900).map((n) => `repo-${n}`))
  expect(found.map(({ sourceKey }) => sourceKey)).toEqual([...Array(899).fill('before'), source])
})

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => String(from + n))

const rule = (pattern: string, allow: boolean) =>
  db.insertInto('githostRule').values({ orgId: org.id, role: 'developer', pattern, allow }).execute()
