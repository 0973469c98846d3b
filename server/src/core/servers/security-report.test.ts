import { expect, test } from 'vitest'
import { isPatched, metadata, patches } from './security-report.ts'

test('a version counts in its own line', () => {
  const engine = ['25.0.2', '24.0.9']
  for (const good of ['26.1.5+dfsg1', '25.0.2', '25.1.0', '24.0.9', '28.0.0'])
    expect([good, isPatched(good, engine)]).toEqual([good, true])
  for (const bad of ['25.0.1', '24.0.8', '23.0.6', '20.10.24', ''])
    expect([bad, isPatched(bad, engine)]).toEqual([bad, false])
  const runc = ['1.4.0', '1.3.3', '1.2.8']
  for (const good of ['1.2.8', '1.3.3', '1.3.10', '1.4.0', '1.5.1', '2.0.0'])
    expect([good, isPatched(good, runc)]).toEqual([good, true])
  for (const bad of ['1.1.5+ds1', '1.1.12', '1.2.7', '1.3.2', '1.0.0-rc93'])
    expect([bad, isPatched(bad, runc)]).toEqual([bad, false])
})

test('an engine with a known way out is told by name, with what to do', () => {
  expect(patches({ version: '26.1.5', runc: '1.2.8' })).toMatchObject({ state: 'ok' })
  expect(patches({ version: '24.0.2', runc: '1.1.5' })).toMatchObject({
    state: 'warning',
    found: expect.stringContaining('Docker Engine 24.0.2 and runc 1.1.5'),
    fix: expect.stringContaining('Update'),
  })
  expect(patches({ version: '26.1.5', runc: null })).toMatchObject({ state: 'ok' })
})

test('a name server among what containers must not reach is told', () => {
  const blocked = ['169.254.0.0/16']
  expect(metadata(['10.0.0.2'], blocked)).toMatchObject({ state: 'ok' })
  expect(metadata(['169.254.169.254'], blocked)).toMatchObject({
    state: 'warning',
    found: expect.stringContaining('169.254.169.254'),
  })
  expect(metadata(null, blocked)).toMatchObject({ state: 'unknown' })
  expect(metadata([], [])).toMatchObject({ state: 'warning' })
})
