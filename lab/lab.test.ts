import { createHash } from 'node:crypto'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dockerApi } from './docker.ts'
import { footprint } from './footprint.ts'
import { repository } from './paths.ts'
import { run } from './run.ts'
import type { Lab } from './state.ts'
import { tool, toolEnv } from './tools.ts'

// A lab of its own, beside the developer's: another folder gives other names, networks and ports.
const dir = mkdtempSync(join(tmpdir(), 'slipway-lab-test-'))
const lab = { dir, id: createHash('sha256').update(dir).digest('hex').slice(0, 6) }
const minutes = 60_000

beforeAll(async () => {
  chmodSync(dir, 0o755) // postgres runs as nobody
  await bin('up', 'images') // fills the cache, so that the tests' time is the lab's own
}, 5 * minutes)

afterAll(async () => {
  await bin('down')
  rmSync(dir, { recursive: true, force: true })
}, minutes)

test('up and down, twice, leave nothing on the machine', { timeout: 5 * minutes }, async () => {
  const before = await footprint(lab)
  for (let round = 0; round < 2; round += 1) {
    await bin('up')
    const engine = addresses().engine
    expect(await ask(engine?.socket, 'GET', '/info')).toContain('"LocalNodeState":"active"')
    await bin('down')
    expect(await footprint(lab)).toEqual(before)
  }
})

test('an engine that was killed while containers ran leaves nothing either', { timeout: 3 * minutes }, async () => {
  const before = await footprint(lab)
  await bin('up', 'engine')
  const socket = addresses().engine?.socket
  const spec = { Image: 'busybox:1', Cmd: ['sleep', '600'] }
  await ask(socket, 'POST', '/containers/create?name=sleeper', spec)
  await ask(socket, 'POST', '/containers/sleeper/start')
  const dockerd = (await footprint(lab)).processes?.find((line) => /^\d+ \S*\/dockerd /.test(line))
  process.kill(Number.parseInt(dockerd ?? '', 10), 'SIGKILL')
  expect((await footprint(lab)).processes?.join('\n')).toContain('sleep 600')
  await bin('down')
  expect(await footprint(lab)).toEqual(before)
})

test('a restarted postgres keeps its data and its port; a started one is new', { timeout: 3 * minutes }, async () => {
  await bin('up', 'postgres')
  const { postgres } = addresses()
  const sql = (text: string) => run([tool('psql'), '-qAt', '-c', text, postgres?.url ?? ''], { env: toolEnv() })
  await sql('create table kept (n int)')
  await bin('restart', 'postgres')
  expect(await sql('select count(*) from kept')).toBe('0\n')
  await bin('down')
  await bin('up', 'postgres')
  await expect(sql('select count(*) from kept')).rejects.toThrow('does not exist')
  await bin('down')
})

function bin(...args: string[]): Promise<string> {
  const env = { ...process.env, SLIPWAY_LAB_DIR: dir }
  return run([join(repository, 'bin/lab'), ...args], { env, deadlineMs: 4 * minutes })
}

function addresses(): Lab {
  return JSON.parse(readFileSync(join(dir, 'state', 'lab.json'), 'utf8'))
}

function ask(socket: string | undefined, method: string, path: string, body?: object): Promise<string> {
  if (!socket) throw new Error('the lab has no engine')
  return dockerApi(socket, method, path, body)
}
