import { describe, expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { announce, blobRows, file, onDisk, put, SESSIONS, seal, shaOf, show, upload } from './folder.ts'

const world = await startWorld()
const { owner } = await world.org()
const other = await world.org('Other')

const begin = async (...contents: string[]): Promise<string> =>
  (
    await announce(
      owner.api,
      contents.map((content, i) => file(`f${i}`, content)),
    )
  ).body.uploadSessionId

describe('200', () => {
  test('a content is stored once; sending it again is fine', async () => {
    const id = await begin('first')
    expect((await put(owner.api, id, 'first')).body).toEqual({ success: true, stored: true })
    const before = await onDisk(world)
    expect((await put(owner.api, id, 'first')).body).toEqual({ success: true, stored: false })
    expect(await onDisk(world)).toEqual(before)
  })

  test('an empty file can be sent', async () => {
    const id = await begin('')
    expect((await put(owner.api, id, '')).body).toEqual({ success: true, stored: true })
    expect((await seal(owner.api, id)).body).toMatchObject({ state: 'sealed', files: 1, bytes: 0 })
  })

  test('the same content sent by twenty at once is stored once and leaves one file', async () => {
    const id = await begin('race')
    const before = await onDisk(world)
    const answers = await Promise.all(Array.from({ length: 20 }, () => put(owner.api, id, 'race')))
    expect(answers.map((answer) => answer.status)).toEqual(Array(20).fill(200))
    expect(answers.filter((answer) => answer.body.stored)).toHaveLength(1)
    expect((await onDisk(world)).length).toBe(before.length + 1)
  })
})

describe('400', () => {
  test.each([
    ['other bytes', 'wrang', 'has the SHA-256'],
    ['fewer bytes', 'righ', 'bytes is 4, announced were 5'],
    ['more bytes', 'right and more', 'more than the announced 5'],
  ])('%s than announced are refused and leave nothing', async (_, sent, message) => {
    const id = await begin('right')
    const before = await onDisk(world)
    const refused = await put(owner.api, id, sent, shaOf('right'))
    expect([refused.status, refused.body.code]).toEqual([400, 'hash_mismatch'])
    expect(refused.body.error).toContain(message)
    expect(await onDisk(world)).toEqual(before)
    expect(await world.platform.blobs.removeUnfinished(-60_000)).toBe(0)
    expect((await show(owner.api, id)).body.missing).toEqual([shaOf('right')])
  })

  test('what is not a hash is refused', async () => {
    const id = await begin('x')
    expect((await put(owner.api, id, 'x', '../../etc/passwd')).status).toBe(404)
    expect((await put(owner.api, id, 'x', 'abc')).body.code).toBe('invalid_request')
  })
})

describe('404', () => {
  test('a content that was not announced is refused, though it is stored', async () => {
    await upload(owner.api, { a: 'elsewhere' })
    const id = await begin('announced')
    expect((await put(owner.api, id, 'elsewhere')).body).toMatchObject({ code: 'not_found', error: 'No such blob.' })
    expect((await put(owner.api, id, 'unknown')).body).toMatchObject({ code: 'not_found', error: 'No such blob.' })
  })

  test("another organization's session looks nonexistent in every way", async () => {
    const id = await begin('mine')
    const unknown = 'upl_01k2v9r6c8h3n5q7s9t0w2x4y6'
    for (const ask of [
      (session: string) => put(other.owner.api, session, 'mine'),
      (session: string) => show(other.owner.api, session),
      (session: string) => seal(other.owner.api, session),
    ]) {
      const { requestId: _, ...foreign } = (await ask(id)).body
      const { requestId: __, ...absent } = (await ask(unknown)).body
      expect(foreign).toMatchObject({ code: 'not_found', error: 'No such folder session.' })
      expect(foreign).toEqual(absent)
    }
    expect(await blobRows(world, other.id)).toEqual([])
  })
})

describe('409', () => {
  test('a sealed session refuses further contents', async () => {
    const id = await upload(owner.api, { a: 'done' })
    const refused = await put(owner.api, id, 'done')
    expect([refused.status, refused.body.code]).toEqual([409, 'session_sealed'])
  })

  test('an expired session refuses contents and sealing, and says so', async () => {
    const id = await begin('late')
    await world.platform.pool.query('update folder_session set expires_at = now() where id = $1', [id])
    const before = await onDisk(world)
    for (const refused of [await put(owner.api, id, 'late'), await seal(owner.api, id)]) {
      expect([refused.status, refused.body.code]).toEqual([409, 'session_expired'])
    }
    expect(await onDisk(world)).toEqual(before)
  })

  test('a session that is gone when the content has arrived keeps nothing of it', async () => {
    const id = await begin('vanishing')
    const before = await onDisk(world)
    const { write } = world.platform.blobs
    world.platform.blobs.write = async (...args) => {
      const stored = await write(...args)
      await world.platform.pool.query('delete from folder_session where id = $1', [id])
      return stored
    }
    const refused = await put(owner.api, id, 'vanishing')
    world.platform.blobs.write = write
    expect(refused.body.code).toBe('not_found')
    expect(await onDisk(world)).toEqual(before)
  })
})

test('415: JSON is not taken as a content', async () => {
  const id = await begin('x')
  const refused = await owner.api('PUT', `${SESSIONS}/${id}/blobs/${shaOf('x')}`, { x: 1 })
  expect([refused.status, refused.body.code]).toEqual([415, 'unsupported_media_type'])
})
