import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { newestBackup } from './make.ts'
import { noted, readNotes } from './note.ts'

const dir = mkdtempSync(join(tmpdir(), 'slipway-notes-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

let files = 0
const newFile = () => join(dir, `notes-${files++}.json`)
const failing = (reason: string) => () => Promise.reject(new Error(reason))

test('how it ended is written down, for both kinds in one file', async () => {
  const file = newFile()
  expect(readNotes(file)).toBeNull()
  await noted('backup', async () => ({ file: '/b.slipway', bytes: 7 }), file)
  await noted('drill', async () => ({ rows: 3 }), file)
  expect(readNotes(file)).toMatchObject({
    backup: { ok: true, reason: null, facts: { file: '/b.slipway', bytes: 7 }, at: expect.stringMatching(/^20.*Z$/) },
    drill: { ok: true, facts: { rows: 3 } },
  })
})

test('a failure is written down with its reason, beside when it last went well', async () => {
  const file = newFile()
  await noted('backup', async () => ({ bytes: 7 }), file)
  const first = JSON.parse(readFileSync(file, 'utf8')).backup
  await expect(noted('backup', failing('the disk is full'), file)).rejects.toThrow('the disk is full')
  const { backup } = JSON.parse(readFileSync(file, 'utf8'))
  expect(backup).toMatchObject({ ok: false, reason: 'the disk is full', lastSuccessAt: first.at, facts: {} })
})

test('the server may read it whatever the umask is of who ran it', async () => {
  const file = newFile()
  const before = process.umask(0o077)
  await noted('backup', async () => ({}), file).finally(() => process.umask(before))
  expect(statSync(file).mode & 0o777).toBe(0o644)
})

test('what cannot be read is told as such, and the next one begins anew', async () => {
  const file = newFile()
  writeFileSync(file, '{"backup": {"ok": tr')
  expect(readNotes(file)).toBe('unreadable')
  await noted('drill', async () => ({}), file)
  expect(readNotes(file)).toMatchObject({ backup: null, drill: { ok: true } })
})

test('where it cannot be written down, nothing stays that says it went well', async () => {
  const file = newFile()
  await noted('backup', async () => ({}), file)
  mkdirSync(join(`${file}.part`, 'in the way'), { recursive: true })
  await expect(noted('backup', failing('why'), file)).rejects.toThrow('why')
  expect(readNotes(file)).toBeNull()
  await expect(noted('backup', async () => ({}), file)).rejects.toThrow()
})

test('a drill is made on the newest backup of every night', () => {
  const folder = join(dir, 'backups')
  expect(() => newestBackup(folder)).toThrow('There is no backup in')
  mkdirSync(folder)
  for (const [name, day] of [
    ['nightly-2026-07-01T0300.slipway', 1],
    ['nightly-2026-07-02T0300.slipway', 2],
    ['nightly-2026-07-03T0300.slipway.part', 3],
    ['before-1.1.0.slipway', 4],
  ] as const) {
    writeFileSync(join(folder, name), '')
    utimesSync(join(folder, name), new Date(2026, 6, day), new Date(2026, 6, day))
  }
  expect(newestBackup(folder)).toBe(join(folder, 'nightly-2026-07-02T0300.slipway'))
  expect(readdirSync(folder)).toHaveLength(4)
})
