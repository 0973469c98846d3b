import { expect, test } from 'vitest'
import { ask } from '../../../../lab/githost/ask.ts'
import { connectedCredential } from '../../../src/core/githost/clone-token.ts'
import { connectedLogin, startGithostWorld } from './stage.ts'

const { host, world } = await startGithostWorld()
const { db } = world.platform
host.do.user({ login: 'ada' })
host.do.org({ login: 'acme', members: { ada: 'admin' } })
for (const name of ['shop', 'internal-books', 'internal-shared'])
  await host.do.repo({ full: `acme/${name}`, private: true, files: { 'package.json': '{}' } })
const org = await world.org('Acme')
await connectedLogin(world, host, org, 'ada')
await org.owner.api('GET', '/api/githost/repos')
const developer = await world.person(org.id, 'developer')
const RULES = [
  { role: 'developer', pattern: 'acme/internal-*', allow: false },
  { role: 'developer', pattern: 'acme/internal-shared', allow: true },
]
const credentialOf = async (id: string, repository: string) => {
  const project = await db.selectFrom('project').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  return connectedCredential(world.platform, project, repository, AbortSignal.timeout(10_000))
}

test('admins set what developers and viewers do not see, all at once, and it is audited', async () => {
  expect((await org.owner.api('GET', '/api/githost/rules')).body).toEqual({ rules: [] })
  const set = await org.owner.api('PUT', '/api/githost/rules', { rules: RULES })
  expect([set.status, set.body]).toEqual([200, { rules: RULES }])
  expect((await org.owner.api('GET', '/api/githost/rules')).body).toEqual({ rules: RULES })
  expect((await developer.api('GET', '/api/githost/rules')).status).toBe(403)
  expect((await developer.api('PUT', '/api/githost/rules', { rules: [] })).status).toBe(403)
  const [entry] = await db.selectFrom('audit').selectAll().where('action', '=', 'githost.rules').execute()
  expect(entry?.detail).toMatchObject({ before: [], rules: RULES })
  const { data } = (await developer.api('GET', '/api/githost/repos')).body
  expect(data.map(({ name }: { name: string }) => name).sort()).toEqual(['internal-shared', 'shop'])
})

test.each(['acme/%', 'acme/a/b', '-/x y', '*', 'acme/', '../x'])(
  'a pattern that is none is refused: %s',
  async (pattern) => {
    const rules = [{ role: 'viewer', pattern, allow: false }]
    expect((await org.owner.api('PUT', '/api/githost/rules', { rules })).status).toBe(400)
  },
)

test('whoever may not see a repository cannot have it deployed with the connection, nor told what it is', async () => {
  const address = (name: string) => `${host.url}/acme/${name}.git`
  const make = async (api: typeof developer.api, name: string, repository: string) =>
    (await api('POST', '/api/projects', { name, repository })).body.id
  const hidden = await make(developer.api, 'hidden', address('internal-books'))
  expect(await credentialOf(hidden, address('internal-books'))).toBe(null)
  const moved = await make(developer.api, 'moved', address('shop'))
  expect(await credentialOf(moved, address('shop'))).not.toBe(null)
  // Written otherwise, it is the same one.
  await developer.api('PATCH', `/api/projects/${moved}`, { repository: address('INTERNAL-books').replace('.git', '/') })
  expect(await credentialOf(moved, address('internal-books'))).toBe(null)
  const ensured = await developer.api('POST', '/api/projects/ensure', { repository: address('internal-books') })
  expect(await credentialOf(ensured.body.project.id, address('internal-books'))).toBe(null)
  const shared = await make(developer.api, 'shared', address('internal-shared'))
  expect(await credentialOf(shared, address('internal-shared'))).not.toBe(null)
  const admin = await world.person(org.id, 'admin')
  const theirs = await make(admin.api, 'theirs', address('internal-books'))
  expect(await credentialOf(theirs, address('internal-books'))).not.toBe(null)
  const prepared = await developer.api('POST', '/api/deployments/prepare', {
    ...{ source: 'githost', owner: 'acme', repo: 'internal-books' },
  })
  expect(prepared.status).toBe(404)
})

test('a former name of a repository does not lead around a rule', async () => {
  await host.do.repo({ full: 'acme/former', private: true, files: { a: 'a' } })
  const headers = { authorization: `token ${host.do.token({ login: 'ada' }).token}` }
  const renamed = await ask(host, `https://${host.host}/api/v3/repos/acme/former`, {
    ...{ method: 'PATCH', headers, body: JSON.stringify({ name: 'internal-former' }) },
  })
  expect(renamed.status).toBe(200)
  const repository = `${host.url}/acme/former.git`
  const made = await developer.api('POST', '/api/projects', { name: 'former', repository })
  expect(await credentialOf(made.body.id, repository)).toBe(null)
  expect((await developer.api('GET', '/api/githost/repos/acme/former')).status).toBe(404)
})

test('rules of one organization do not narrow another', async () => {
  const other = await world.org('Other')
  await connectedLogin(world, host, other, 'ada')
  expect((await other.owner.api('GET', '/api/githost/rules')).body).toEqual({ rules: [] })
  const theirs = await world.person(other.id, 'developer')
  expect((await theirs.api('GET', '/api/githost/repos')).body.data).toHaveLength(4)
})
