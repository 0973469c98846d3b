import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'

const TOKEN = 'a-long-metrics-token'
const world = await startWorld({ metricsToken: TOKEN })
const file = join(world.platform.dataDir.path, 'platform-backups.json')
const [GOOD, BAD] = ['2026-07-01T03:04:05.000Z', '2026-07-02T03:00:00.000Z']

const note = (text: string) => writeFileSync(file, text)
const { owner } = await world.org()
const told = async () => (await owner.api('GET', '/api/instance/backups')).body
const measured = async () => {
  const { text } = await world.as(TOKEN)('GET', '/metrics')
  return [...text.matchAll(/^slipway_((?:backup|drill)_\w+) (\S+)$/gm)].map(([, name, value]) => `${name} ${value}`)
}

test('what setup noted is told, without why it failed and where backups lie', async () => {
  const rest = { seconds: 2, reason: 'no way to storage.internal', facts: { file: '/somewhere' } }
  const backup = { at: BAD, ok: false, lastSuccessAt: GOOD, ...rest }
  const drill = { at: GOOD, ok: true, lastSuccessAt: GOOD, ...rest, reason: null }
  note(JSON.stringify({ backup, drill }))
  expect(await told()).toEqual({
    backup: { at: BAD, ok: false, lastSuccessAt: GOOD },
    drill: { at: GOOD, ok: true, lastSuccessAt: GOOD },
  })
  expect(await measured()).toEqual([
    'backup_ok 0',
    `backup_last_success_timestamp_seconds ${Date.parse(GOOD) / 1000}`,
    'drill_ok 1',
    `drill_last_success_timestamp_seconds ${Date.parse(GOOD) / 1000}`,
  ])
})

test('where nothing was noted, nothing is known, and nothing counts as good', async () => {
  rmSync(file)
  expect(await told()).toEqual({ backup: null, drill: null })
  expect(await measured()).toEqual(['backup_ok 0', 'drill_ok 0'])
})

test.each([
  '',
  'null',
  '{"backup": {"ok": tr',
  '{"backup": {"ok": true}, "drill": null}',
  `{"backup": {"ok": "yes", "at": "${GOOD}", "lastSuccessAt": "${GOOD}"}, "drill": null}`,
  '{"backup": {"ok": true, "at": "yesterday", "lastSuccessAt": null}, "drill": null}',
])('notes that cannot be read are told as such, and not as good: %s', async (text) => {
  note(text)
  const unreadable = { ok: false, at: null, lastSuccessAt: null }
  expect(await told()).toEqual({ backup: unreadable, drill: unreadable })
  expect(await measured()).toEqual(['backup_ok 0', 'drill_ok 0'])
})
