import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { slipway } from '../../test/run-here.ts'
import { load } from '../load.ts'
import type { Entry, Flag } from '../table/entry.ts'
import { GLOBAL } from '../table/global.ts'
import { table } from '../table/table.ts'
import { completionScript } from './completion.ts'
import { nearest } from './nearest.ts'
import { parse } from './parse.ts'

const entries = Object.entries<Entry>(table)

test('flags may stand before, between and behind the words of a command', () => {
  for (const argv of [
    ['--json', 'env', 'set', 'A=1', '-s', 'web'],
    ['env', '--json', 'set', '-s', 'web', 'A=1'],
    ['-p', 'shop', 'env', 'set', 'A=1', '--service=web', '--json'],
  ]) {
    expect(parse(argv)).toMatchObject({ name: 'env set', words: ['A=1'], flags: { json: true, service: 'web' } })
  }
})

test('a folder alone is deployed', () => {
  expect(parse(['.'])).toMatchObject({ name: 'deploy', words: ['.'] })
  expect(parse(['./app', '--json'])).toMatchObject({ name: 'deploy', words: ['./app'] })
})

test('what belongs to the server is handed on unread', () => {
  expect(parse(['admin', 'bootstrap', '--email', 'a@example.com'])).toMatchObject({
    name: 'admin',
    words: ['bootstrap', '--email', 'a@example.com'],
  })
  expect(parse(['server', '--help'])).toMatchObject({ name: 'server', words: ['--help'] })
})

test.each([
  [['dploy'], 'Unknown command dploy.', 'slipway deploy'],
  [['env', 'sett'], 'Unknown command env sett.', 'slipway env set'],
  [['env'], 'slipway env what?', 'slipway env ls'],
  [['ls', '--jsn'], 'slipway ls has no --jsn.', '--json'],
  [['rm'], 'slipway rm needs <id>.', 'slipway rm <id>'],
  [['rm', '1', '2'], 'does not know what to do with 2', 'slipway rm <id>'],
  [['respond', '1', 'maybe'], 'takes approve or reject, not maybe', 'approve|reject'],
  [['ls', '--limit', 'many'], '--limit takes a number above 0, not many.', ''],
  [['ls', '--limit'], 'argument missing', 'slipway ls --help'],
  [['zzzzzz'], 'Unknown command zzzzzz.', 'slipway help'],
])('%j is refused with exit code 2 and a sentence', async (argv, sentence, hint) => {
  const { code, err, out } = await slipway(argv)
  expect(code).toBe(2)
  expect(err).toContain(sentence)
  expect(err).toContain(hint)
  expect(out).toBe('')
  const json = await slipway([...argv, '--json'])
  expect(json.json()).toMatchObject({ success: false, code: 'usage' })
})

test('every command has help by two ways, with its flags and its example', async () => {
  for (const [name, { flags = {}, example, raw }] of entries) {
    const { code, out } = await slipway(['help', ...name.split(' ')])
    expect(code).toBe(0)
    for (const flag of Object.keys(flags)) expect(out).toContain(`--${flag}`)
    if (example) expect(out).toContain(example)
    if (!raw) expect((await slipway([...name.split(' '), '--help'])).out).toBe(out)
  }
  const { out } = await slipway([])
  for (const [name] of entries) expect(out).toContain(`  ${name}`)
  expect((await slipway(['help', 'env'])).out).toContain('env push')
  expect((await slipway(['help', 'nothing'])).code).toBe(2)
})

test('the table is there as data', async () => {
  const described = JSON.parse((await slipway(['--describe'])).out)
  expect(described.commands.map(({ name }: { name: string }) => name)).toEqual(Object.keys(table))
  expect((await slipway(['--describe', '--json'])).json()).toEqual(described)
  expect((await slipway(['help', 'rm', '--json'])).json().commands).toHaveLength(1)
})

test('a flag means the same wherever it is taken, and every command can be loaded', async () => {
  const known = new Map<string, string>()
  const shape = ({ type, short }: Flag) => `${type} ${short}`
  for (const [name, { flags = {} }] of [['', { flags: GLOBAL }] as const, ...entries]) {
    for (const [flag, one] of Object.entries<Flag>(flags)) {
      expect(known.get(flag) ?? shape(one), `${name} --${flag}`).toBe(shape(one))
      known.set(flag, shape(one))
    }
  }
  for (const command of Object.values(load)) expect(await command()).toBeTypeOf('function')
})

test('scripts for shells name every command, and bash takes its own', async () => {
  for (const shell of ['bash', 'zsh', 'fish'] as const) {
    const script = completionScript(shell)
    for (const [name] of entries) expect(script).toContain(name.split(' ')[0])
    expect((await slipway(['completion', shell])).out).toBe(`${script}\n`)
  }
  const ask = `${completionScript('bash')}\nCOMP_WORDS=(slipway env p); COMP_CWORD=2; _slipway; echo "\${COMPREPLY[@]}"`
  const child = promisify(execFile)('bash')
  child.child.stdin?.end(ask)
  expect((await child).stdout.trim()).toBe('pull push')
})

test('what was probably meant is found, and nothing where nothing is close', () => {
  expect(nearest('lgos', ['ls', 'logs', 'login'])).toBe('logs')
  expect(nearest('xyz', ['ls', 'logs', 'login'])).toBeUndefined()
})
