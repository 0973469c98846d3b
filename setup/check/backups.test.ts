import { expect, test } from 'vitest'
import type { Note } from '../backup/note.ts'
import { facts, INSTALLED } from '../test/facts.ts'
import { checkBackups } from './backups.ts'
import { check } from './check.ts'

const GOOD: Note = {
  at: '2026-07-01T03:04:05.000Z',
  ok: true,
  lastSuccessAt: '2026-07-01T03:04:05.000Z',
  seconds: 2,
  reason: null,
  facts: {},
}
const FAILED: Note = { ...GOOD, at: '2026-07-02T03:00:00.000Z', ok: false, reason: 'pg_dump ended with 1\n  more' }

test('a backup that failed is told with its reason, and when one was last good', () => {
  const [backup, drill] = checkBackups({ backup: FAILED, drill: GOOD }, { drills: true })
  expect(backup).toMatchObject({ state: 'warning', what: expect.stringMatching(/failed: pg_dump ended with 1$/) })
  expect(backup?.remedy).toContain('The last good one is of 2026-07-01T03:04:05.000Z')
  expect(drill).toMatchObject({ id: 'drill', state: 'ok' })
})

test('none yet, and notes that cannot be read, are never told as good', () => {
  for (const notes of [null, 'unreadable', { backup: null, drill: null }] as const)
    expect(checkBackups(notes, { drills: true }).map(({ state }) => state)).not.toContain('ok')
})

test('where no drill is made, none is missed', () => {
  expect(checkBackups({ backup: GOOD, drill: null }, { drills: false }).map(({ id }) => id)).toEqual(['backup'])
})

test('a machine without Slipway is not asked for backups of it', () => {
  const wanted = { httpPort: null, httpsPort: null, databaseUrl: null, offline: null, version: '1.0.0' }
  const ids = (...given: Parameters<typeof facts>) => check(facts(...given), wanted).map(({ id }) => id)
  expect(ids()).not.toContain('backup')
  expect(ids({ installed: INSTALLED })).toEqual(expect.arrayContaining(['backup', 'drill']))
})
