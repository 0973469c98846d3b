import { expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { openTree } from '../../../src/core/uploads/tree.ts'
import { announce, blobRows, file, put, SESSIONS, seal, shaOf, upload } from './folder.ts'

const world = await startWorld()
const { owner, id: orgId } = await world.org()
const other = await world.org('Other')

test('409: what is missing is listed, and nothing is sealed', async () => {
  const made = await announce(owner.api, [file('a', 'A'), file('b', 'B')])
  const id = made.body.uploadSessionId
  await put(owner.api, id, 'A')
  const refused = await seal(owner.api, id)
  expect([refused.status, refused.body.code]).toEqual([409, 'blobs_missing'])
  expect(refused.body.missing).toEqual([shaOf('B')])
  await put(owner.api, id, 'B')
  const sealed = await seal(owner.api, id)
  expect(sealed.body).toMatchObject({ uploadSessionId: id, state: 'sealed', files: 2, bytes: 2, missing: [] })
  expect(Date.parse(sealed.body.expiresAt) - Date.now()).toBeGreaterThan(29 * 24 * 3600_000)
})

test('400: a content that arrived with another size by another session is refused', async () => {
  const wrong = await announce(owner.api, [{ ...file('a', 'sized'), size: 4 }])
  await upload(owner.api, { a: 'sized' })
  const refused = await seal(owner.api, wrong.body.uploadSessionId)
  expect([refused.status, refused.body.code]).toEqual([400, 'hash_mismatch'])
})

test('200: sealing twice is fine, changes nothing and is audited once', async () => {
  const id = await upload(owner.api, { a: 'twice' })
  const row = async () => (await world.platform.pool.query('select * from folder_session where id = $1', [id])).rows
  const before = await row()
  // Not by the harness's own caller, which expects an audit entry of every write.
  const headers = { authorization: `Bearer ${owner.token}` }
  const again = await world.app.inject({ method: 'POST', url: `${SESSIONS}/${id}/seal`, headers })
  expect([again.statusCode, again.json().state]).toEqual([200, 'sealed'])
  expect(await row()).toEqual(before)
  const { data } = (await owner.api('GET', `/api/audit?target=${id}`)).body
  expect(data.map((entry: { action: string }) => entry.action)).toEqual([
    'folder_session.seal',
    'folder_session.create',
  ])
})

test('a sealed folder can be read whole by its organization alone', async () => {
  const files = [file('bin/run', '#!/bin/sh', 0o755), file('a', 'text'), { path: 'l', link: 'bin/run' }]
  const { uploadSessionId: id } = (await announce(owner.api, files)).body
  await expect(openTree(world.platform, orgId, id)).rejects.toMatchObject({ code: 'not_found' })
  for (const content of ['#!/bin/sh', 'text']) await put(owner.api, id, content)
  await seal(owner.api, id)
  const tree = await openTree(world.platform, orgId, id)
  expect(tree.entries).toEqual([
    { kind: 'file', path: 'bin/run', size: 9, mode: 0o755, sha256: shaOf('#!/bin/sh') },
    { kind: 'file', path: 'a', size: 4, mode: 0o644, sha256: shaOf('text') },
    { kind: 'link', path: 'l', target: 'bin/run' },
  ])
  const content = await tree.read({ path: 'a', sha256: shaOf('text') })
  expect(Buffer.concat(await content.toArray()).toString()).toBe('text')
  await expect(openTree(world.platform, other.id, id)).rejects.toMatchObject({ code: 'not_found' })
})

test('a content whose bytes were lost is said to be missing, and the next upload heals it', async () => {
  const { owner, id: orgId } = await world.org('Lossy')
  const id = await upload(owner.api, { a: 'lost' })
  for (const location of await blobRows(world, orgId)) await world.platform.blobs.remove(location)
  const tree = await openTree(world.platform, orgId, id)
  const read = tree.read({ path: 'a', sha256: shaOf('lost') })
  await expect(read).rejects.toMatchObject({ code: 'blobs_missing', message: expect.stringContaining('content of a') })
  expect((await announce(owner.api, [file('a', 'lost')])).body.missing).toEqual([shaOf('lost')])
})
