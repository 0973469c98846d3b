import { describe, expect, test } from 'vitest'
import { decide, type Facts, isWatched } from './decide.ts'

const now = new Date('2026-01-31T12:00:00Z')
const facts: Facts = {
  sha: 'b',
  inCloud: false,
  autoDeploy: true,
  paused: null,
  skipWords: ['[skip ci]'],
  watchPaths: [],
  deployed: 'a',
  message: 'Change',
  files: undefined,
  waitingSince: null,
  now,
}
const ago = (ms: number) => new Date(now.getTime() - ms)

describe('one function says whether a push is deployed', () => {
  test.each<[string, Partial<Facts>, object]>([
    ['a push is', {}, { deploy: true }],
    ['a deleted branch is not', { sha: null }, { decision: 'ignored', reason: 'branch deleted' }],
    ['off is off', { autoDeploy: false }, { decision: 'skipped', reason: 'auto-deploy is off' }],
    ['what is in the cloud is not deployed here', { inCloud: true }, { decision: 'skipped' }],
    ['paused is paused', { paused: 'paused since dep_1' }, { decision: 'skipped', reason: 'paused since dep_1' }],
    ['what runs is not deployed again', { sha: 'a' }, { decision: 'known' }],
    ['a word skips', { message: 'Docs [Skip CI]' }, { decision: 'skipped', reason: 'the commit says [skip ci]' }],
    ['the message is asked for', { message: undefined }, { need: ['message'] }],
    ['without words it is not', { message: undefined, skipWords: [] }, { deploy: true }],
    ['doubt about the message deploys', { message: null }, { deploy: true }],
    ['files are asked for', { watchPaths: ['api/**'] }, { need: ['files'] }],
    ['a watched file deploys', { watchPaths: ['api/**'], files: ['docs/x', 'api/main.ts'] }, { deploy: true }],
    ['no watched file skips', { watchPaths: ['api/**'], files: ['docs/x'] }, { decision: 'skipped' }],
    ['doubt about files deploys', { watchPaths: ['api/**'], files: null }, { deploy: true }],
    ['a first release has nothing to compare with', { watchPaths: ['api/**'], deployed: null }, { deploy: true }],
    [
      'one that was made a moment ago is left',
      { waitingSince: ago(500) },
      { waitUntil: new Date(now.getTime() + 1500) },
    ],
    ['an older one is superseded', { waitingSince: ago(2000) }, { deploy: true }],
  ])('%s', (_, more, expected) => expect(decide({ ...facts, ...more })).toMatchObject(expected))
})

describe('watched paths', () => {
  test.each<[string[], string, boolean]>([
    [['api'], 'api/main.ts', true],
    [['api/'], 'api', true],
    [['./api/*.ts'], 'api/main.ts', true],
    [['api/*.ts'], 'api/deep/main.ts', false],
    [['api/**/*.ts'], 'api/main.ts', true],
    [['api/**/*.ts'], 'api/a/b/main.ts', true],
    [['**/test.ts'], 'test.ts', true],
    [['**/test.ts'], 'a/mytest.ts', false],
    [['**'], '.env', true],
    [['!docs'], 'docs/x.md', false],
    [['!docs'], 'main.ts', true],
    [['**', '!docs', 'docs/api.md'], 'docs/api.md', true],
    [['a.c'], 'abc', false],
    [['fil?.ts'], 'file.ts', true],
  ])('%j watches %s: %s', (globs, path, expected) => expect(isWatched(globs, path)).toBe(expected))

  test('a pattern made to take long does not', () => {
    const before = process.cpuUsage()
    for (let file = 0; file < 300; file++) expect(isWatched([`${'**a'.repeat(33)}b`], 'a'.repeat(250))).toBe(false)
    expect(process.cpuUsage(before).user).toBeLessThan(3_000_000)
  })
})
