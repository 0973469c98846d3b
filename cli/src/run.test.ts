import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { slipway } from '../test/run-here.ts'
import { EXIT } from './failure.ts'

/** The program itself, under a Node that says it is of this version. */
function under(version: string, ...argv: string[]) {
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`
  const pretended = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`]
  const main = join(import.meta.dirname, 'main.ts')
  return spawnSync(process.execPath, [...pretended, '--conditions=slipway-source', main, ...argv], { encoding: 'utf8' })
}

test('a Node that is too old is refused in a sentence that names both versions, and as JSON', () => {
  const old = under('20.20.2', 'whoami', '--json')
  expect(old.status).toBe(EXIT.usage)
  expect(old.stderr).toBe(
    '✗ slipway needs Node 22 or newer; this is Node 20.20.2.\n  Install a newer Node, and run the same again.\n',
  )
  expect(JSON.parse(old.stdout)).toMatchObject({ success: false, code: 'usage' })
  expect(under('22.0.0', 'version').status).toBe(EXIT.ok)
})

test.each(['0.9999', '1.001', '9999999'])('a timeout of %s s is one', async (seconds) => {
  expect(await slipway(['version', '--timeout', seconds])).toMatchObject({ code: EXIT.ok, err: '' })
})
