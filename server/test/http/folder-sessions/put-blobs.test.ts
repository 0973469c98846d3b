import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { announce, blobRows, file, onDisk, SESSIONS, seal, shaOf, show, type TarEntry, tarOf } from './folder.ts'

const world = await startWorld()
const { owner, id: orgId } = await world.org()
const other = await world.org('Other')
type Api = typeof owner.api

const begin = async (...contents: string[]): Promise<string> => {
  const files = contents.map((content, i) => file(`f${i}`, content))
  return (await announce(owner.api, files)).body.uploadSessionId
}
const entry = (content: string, name = shaOf(content)): TarEntry => ({ name, content })
const putRaw = (api: Api, id: string, body: Buffer) =>
  api('POST', `${SESSIONS}/${id}/blobs`, body, { 'content-type': 'application/gzip' })
const putAll = async (api: Api, id: string, entries: TarEntry[]) => putRaw(api, id, gzipSync(await tarOf(entries)))
const many = (count: number, word: string) => Array.from({ length: count }, (_, n) => `${word} ${n}`)

describe('200', () => {
  test('many contents arrive in one body, and are a folder', async () => {
    const contents = [...many(450, 'many'), '', 'x'.repeat(300_000)]
    const id = await begin(...contents)
    const sent = await putAll(
      owner.api,
      id,
      contents.map((content) => entry(content)),
    )
    expect(sent).toMatchObject({ status: 200, body: { success: true, received: 452 } })
    expect((await seal(owner.api, id)).body).toMatchObject({ state: 'sealed', files: 452 })
  })

  test('what is here already is received again and leaves no second file', async () => {
    const first = await begin('again a', 'again b')
    await putAll(owner.api, first, [entry('again a'), entry('again b')])
    const before = await onDisk(world)
    const second = await begin('again a', 'again b')
    expect((await putAll(owner.api, second, [entry('again a'), entry('again b')])).body.received).toBe(2)
    expect(await onDisk(world)).toEqual(before)
  })

  test('ten that send the same leave one file each', async () => {
    const contents = many(30, 'race')
    const id = await begin(...contents)
    const before = await onDisk(world)
    const entries = contents.map((content) => entry(content))
    const answers = await Promise.all(Array.from({ length: 10 }, () => putAll(owner.api, id, entries)))
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
    expect((await onDisk(world)).length).toBe(before.length + 30)
  })
})

describe('what came before stays', () => {
  const kept = async (body: (good: TarEntry[]) => Promise<Buffer>) => {
    const good = many(20, `good ${Math.random()}`)
    const id = await begin(...good, 'right')
    const answer = await putRaw(owner.api, id, await body(good.map((content) => entry(content))))
    return { answer, missing: (await show(owner.api, id)).body.missing as string[], right: shaOf('right') }
  }

  test('of an archive with an entry that is not what its name says', async () => {
    const { answer, missing, right } = await kept(async (good) =>
      gzipSync(await tarOf([...good, entry('wrong', shaOf('right'))])),
    )
    expect([answer.status, answer.body.code]).toEqual([400, 'hash_mismatch'])
    expect(missing).toEqual([right])
  })

  test('of an archive that breaks off', async () => {
    const { answer, missing } = await kept(async (good) => {
      const tar = await tarOf([...good, entry('right')])
      return gzipSync(tar.subarray(0, tar.length - 1024 - 512 - 256))
    })
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_archive'])
    expect(missing).toHaveLength(1)
  })
})

describe('refused, and nothing of it is kept', () => {
  test.each<[string, () => TarEntry[], number, string]>([
    ['a content that was not announced', () => [entry('stranger')], 404, 'not_found'],
    ['a name that is no sum', () => [entry('x', '../../etc/passwd')], 404, 'not_found'],
    ['a link', () => [{ name: shaOf('told'), type: 'symlink', linkname: '/etc/passwd' }], 404, 'not_found'],
    ['a folder', () => [{ name: `${shaOf('told')}/`, type: 'directory' }], 404, 'not_found'],
    ['another size than announced', () => [entry('told and more', shaOf('told'))], 400, 'hash_mismatch'],
  ])('%s', async (_, entries, status, code) => {
    const id = await begin('told')
    const before = await onDisk(world)
    const refused = await putAll(owner.api, id, entries())
    expect([refused.status, refused.body.code]).toEqual([status, code])
    expect(await onDisk(world)).toEqual(before)
    expect(await world.platform.blobs.removeUnfinished(-60_000)).toBe(0)
  })

  test('the same content over and over', async () => {
    const id = await begin('twice')
    const refused = await putAll(owner.api, id, [entry('twice'), entry('twice')])
    expect(refused.body).toMatchObject({ code: 'invalid_archive', error: expect.stringContaining('appears twice') })
  })

  test('what is no archive', async () => {
    const id = await begin('told')
    expect((await putRaw(owner.api, id, Buffer.from('hello'))).body.code).toBe('invalid_archive')
  })
})

test('a sealed session takes no more, and leaves no file of it', async () => {
  const id = await begin('sealed')
  await putAll(owner.api, id, [entry('sealed')])
  await seal(owner.api, id)
  const before = await onDisk(world)
  expect((await putAll(owner.api, id, [entry('sealed')])).body.code).toBe('session_sealed')
  expect(await onDisk(world)).toEqual(before)
})

test('another organization’s session is as unknown as one that never was, and gets nothing', async () => {
  const id = await begin('mine alone')
  const [foreign, unknown] = [
    await putAll(other.owner.api, id, [entry('mine alone')]),
    await putAll(other.owner.api, 'upl_01k2v9r6c8h3n5q7s9t0w2x4y6', [entry('mine alone')]),
  ]
  expect([foreign.status, foreign.body.error]).toEqual([404, unknown.body.error])
  expect(await blobRows(world, other.id)).toEqual([])
  expect((await blobRows(world, orgId)).length).toBeGreaterThan(0)
})
