import pg from 'pg'
import { describe, expect, test, vi } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { announce, file, put, SESSIONS, seal, shaOf, show, upload } from './folder.ts'

const LIMITS = { files: 5, fileBytes: 1000, totalBytes: 2500 }
const world = await startWorld({ upload: LIMITS })
const { owner, id: orgId } = await world.org()
const other = await world.org('Other')

describe('201', () => {
  test('a new folder misses all its contents, each once', async () => {
    const made = await announce(owner.api, [
      file('a', 'A'),
      file('b', 'B'),
      file('copy', 'A'),
      { path: 'l', link: 'a' },
    ])
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({ state: 'open', files: 4, bytes: 3, limits: LIMITS })
    expect(made.body.missing.sort()).toEqual([shaOf('A'), shaOf('B')].sort())
    expect(Date.parse(made.body.expiresAt) - Date.now()).toBeGreaterThan(23 * 3600_000)
  })

  test('an unchanged second session misses nothing and can be sealed at once', async () => {
    await upload(owner.api, { a: 'one', 'b/c': 'two' })
    const second = await announce(owner.api, [file('a', 'one'), file('b/c', 'two')])
    expect(second.body.missing).toEqual([])
    expect((await seal(owner.api, second.body.uploadSessionId)).body.state).toBe('sealed')
  })

  test('only what changed is missing', async () => {
    await upload(owner.api, { a: 'kept', b: 'old' })
    expect((await announce(owner.api, [file('a', 'kept'), file('b', 'changed')])).body.missing).toEqual([
      shaOf('changed'),
    ])
  })

  test('a content that another organization uploaded is still missing here', async () => {
    await upload(other.owner.api, { secret: 'theirs' })
    const mine = await announce(owner.api, [file('secret', 'theirs')])
    expect(mine.body.missing).toEqual([shaOf('theirs')])
    expect((await show(owner.api, mine.body.uploadSessionId)).body.missing).toEqual([shaOf('theirs')])
    expect((await seal(owner.api, mine.body.uploadSessionId)).body.code).toBe('blobs_missing')
  })

  test('a token that is restricted to a project may upload, and sees only what was uploaded for that project', async () => {
    const project = (await owner.api('POST', '/api/projects', { name: 'fenced' })).body
    const api = world.as(await world.tokenFor(owner, { projectId: project.id }))
    const id = await upload(api, { a: 'fenced' })
    expect((await show(api, id)).body.state).toBe('sealed')
    const free = (await announce(owner.api, [file('a', 'free')])).body.uploadSessionId
    expect((await show(api, free)).status).toBe(404)
    expect((await put(api, free, 'free')).status).toBe(404)
    expect((await seal(api, free)).status).toBe(404)
    expect((await show(owner.api, id)).status).toBe(200)
  })

  test('it is audited once it begins and once it is sealed', async () => {
    const id = await upload(owner.api, { a: 'audited' })
    const { body } = await owner.api('GET', `/api/audit?target=${id}`)
    expect(body.data.map((entry: { action: string }) => entry.action)).toEqual([
      'folder_session.seal',
      'folder_session.create',
    ])
    expect(body.data[0].detail).toEqual({ files: 1, bytes: 7 })
  })
})

describe('400', () => {
  const PLAIN = file('a', 'A')
  test.each([
    ['an absolute path', [{ ...PLAIN, path: '/etc/passwd' }], 'invalid_path', '"/etc/passwd" is absolute'],
    ['a path with ..', [{ ...PLAIN, path: 'a/../../b' }], 'invalid_path', '"a/../../b" contains ".."'],
    ['a path with a NUL', [{ ...PLAIN, path: 'a\0' }], 'invalid_request', 'files.0.path contains a character'],
    ['a lone surrogate', [{ ...PLAIN, path: '\ud800' }], 'invalid_request', 'files.0.path contains a character'],
    ['a path that appears twice', [PLAIN, { ...PLAIN }], 'invalid_path', '"a" appears twice'],
    ['a file that is also a directory', [PLAIN, file('a/b', 'x')], 'invalid_path', '"a" is a file'],
    ['a link out of the folder', [{ path: 'l', link: '../x' }], 'invalid_link', '"l" points to "../x"'],
    ['an absolute link', [{ path: 'l', link: '/x' }], 'invalid_link', '"l" points to "/x", which is absolute'],
    [
      'a chain of links out of the folder',
      [
        { path: 'd/e/up', link: '../..' },
        { path: 'l', link: 'd/e/up/../x' },
      ],
      'invalid_link',
      '"l" points to "d/e/up/../x", which leaves the folder',
    ],
    ['one hash with two sizes', [PLAIN, { ...PLAIN, path: 'b', size: 2 }], 'hash_mismatch', '"b" is announced with 2'],
    ['an upper-case hash', [{ ...PLAIN, sha256: PLAIN.sha256.toUpperCase() }], 'invalid_request', ''],
    ['a negative size', [{ ...PLAIN, size: -1 }], 'invalid_request', ''],
    ['no files', [], 'invalid_request', 'files'],
  ])('%s is refused by name', async (_, files, code, message) => {
    const refused = await announce(owner.api, files)
    expect([refused.status, refused.body.code]).toEqual([400, code])
    expect(refused.body.error).toContain(message)
  })

  test('a size that the stored content does not have is refused', async () => {
    await upload(owner.api, { a: 'five!' })
    const refused = await announce(owner.api, [{ ...file('x', 'five!'), size: 4 }])
    expect([refused.status, refused.body.code]).toEqual([400, 'hash_mismatch'])
    expect(refused.body.error).toContain('"x" is announced with 4 bytes, but that hash means 5 bytes')
  })
})

describe('413', () => {
  test.each([
    ['too many files', Array.from({ length: 6 }, (_, i) => file(`f${i}`, '')), 'more than 5 files'],
    ['a too large file', [{ ...file('big', 'x'), size: 1001 }], '"big" is larger than 1000 bytes'],
    ['a too large folder', ['a', 'b', 'c'].map((p) => ({ ...file(p, p), size: 900 })), 'larger than 2500 bytes'],
  ])('%s is refused with the limit named', async (_, files, message) => {
    const refused = await announce(owner.api, files)
    expect([refused.status, refused.body.code]).toEqual([413, 'too_large'])
    expect(refused.body.error).toContain(message)
  })
})

test('401, 403 and 415', async () => {
  expect((await announce(world.as('slp_unknown'), [file('a', 'A')])).status).toBe(401)
  const viewer = await world.person(orgId, 'viewer')
  expect((await announce(viewer.api, [file('a', 'A')])).body.requires).toBe('project:write')
  const wrong = await owner.api('POST', SESSIONS, Buffer.from('x'), { 'content-type': 'application/xml' })
  expect(wrong.status).toBe(415)
})

test('fifty thousand files are announced in few queries and seconds', async () => {
  const big = await startWorld()
  const { owner } = await big.org()
  const files = Array.from({ length: 50_000 }, (_, i) => file(`dir${i % 500}/file${i}.txt`, `content ${i}`))
  const queries = vi.spyOn(pg.Client.prototype, 'query')
  const before = process.cpuUsage()
  const made = await announce(owner.api, files)
  expect(made.status).toBe(201)
  expect(made.body.missing).toHaveLength(50_000)
  expect((await show(owner.api, made.body.uploadSessionId)).body.missing).toHaveLength(50_000)
  const refused = await seal(owner.api, made.body.uploadSessionId)
  expect(refused.body.missing).toHaveLength(1000)
  // Of the processor: a machine that has other things to do takes longer, and no more of it.
  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 1e6).toBeLessThan(15)
  expect(queries.mock.calls.length).toBeLessThan(40)
  queries.mockRestore()
}, 120_000)
