import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MigrationStack } from '@slipway/contract/migration-shape'
import { afterAll, expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { addServer, composeLabels, createContainer } from './stage.ts'

const world = await startWorld()
const org = await world.org()
const { api } = org.owner
const folder = mkdtempSync(join(tmpdir(), 'slipway-hostile-'))
const tag = `h${process.pid}`
const made: Awaited<ReturnType<typeof createContainer>>[] = []
afterAll(async () => {
  for (const one of made) await one.remove()
  rmSync(folder, { recursive: true })
})

const create = async (name: string, settings: object) =>
  made.push(await createContainer('host1', `${tag}-${name}`, settings))
/** A stack of one container whose file is whatever `lay` puts there. */
async function stack(name: string, lay: (path: string) => void, more: Record<string, string> = {}) {
  const at = join(folder, name)
  mkdirSync(at)
  lay(join(at, 'compose.yaml'))
  await create(name, { Labels: composeLabels(`${tag}${name}`, 's', at, more) })
}
const bomb = [
  'a: &a [x,x,x,x,x,x,x,x,x]',
  ...'bcdefghi'.split('').map((c, n) => `${c}: &${c} [${Array(9).fill(`*${'abcdefgh'[n]}`).join()}]`),
].join('\n')

test('whatever a server says is data: bounded, masked, and never followed', async () => {
  await stack('shadow', (path) => symlinkSync('/etc/shadow', path))
  await stack('fifo', (path) => execFileSync('mkfifo', [path]))
  await stack('zero', (path) => symlinkSync('/dev/zero', path))
  await stack('sparse', (path) => {
    writeFileSync(path, '')
    truncateSync(path, 5e9)
  })
  await stack('utf8', (path) => writeFileSync(path, Buffer.from([0x73, 0xff, 0xfe])))
  await stack('bomb', (path) => writeFileSync(path, `${bomb}\nservices: {s: {image: x, command: *i}}`))
  await stack('env', (path) => writeFileSync(path, 'services: {s: {image: x, env_file: [/etc/shadow]}}'))
  await stack('up', (path) =>
    writeFileSync(path, 'services: {s: {image: x, extends: {file: ../../../../../../etc/passwd, service: root}}}'),
  )
  const meta = { 'com.docker.compose.project': 'a;rm -rf $(x)', 'com.docker.compose.service': '../../etc' }
  await create('meta', {
    Labels: meta,
    Env: ['A=$(id);`id`|"', 'ESC\u001b]0;x\u0007=1', 'constructor=y', `N=${'n'.repeat(1_000_000)}`],
  })
  await create('mega', { Labels: { m: 'x'.repeat(6 * 1024 * 1024) } })
  await create('proto', { Labels: composeLabels('constructor', '__proto__', folder), Env: ['__proto__=x'] })
  const odd = { 'com.docker.compose.project.config_files': '/srv/`id`.yaml' }
  await create('wide', { Labels: composeLabels(`${tag}wide`, 's', '/srv/$(id)', odd) })
  const many = { 'com.docker.compose.project.config_files': Array.from({ length: 3000 }, (_, n) => `/x/${n}`).join() }
  await create('many', { Labels: composeLabels(`${tag}many`, 's', '/srv', many) })

  const serverId = await addServer(org, 'host1')
  const { status, body, text } = await api('POST', '/api/migration/scan', { serverId })
  expect(status, text.slice(0, 500)).toBe(200)
  const found: MigrationStack = body.stack
  const reason = (name: string) => found.composeStacks.find((one) => one.name === `${tag}${name}`)?.files[0]?.reason
  expect(
    Object.fromEntries(
      ['shadow', 'fifo', 'zero', 'sparse', 'utf8', 'bomb', 'env', 'up', 'wide'].map((name) => [name, reason(name)]),
    ),
  ).toEqual({
    ...{ shadow: 'forbidden', fifo: 'not_a_file', zero: 'forbidden', sparse: 'too_large', utf8: 'invalid' },
    ...{ bomb: 'too_large', env: 'invalid', up: 'invalid', wide: 'missing' },
  })
  expect(text).not.toMatch(/root:[*!x]:|daemon:/)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal would obey
  expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f]|\\u001b/)
  const meant = found.containers.find(({ name }) => name === `${tag}-meta`)
  expect(meant?.environment).toEqual(expect.arrayContaining(['constructor', 'ESC\ufffd]0;x\ufffd', 'N']))
  expect(found.warnings.join()).toContain('say more about themselves than 4 MiB')
  expect(text.length).toBeLessThan(2_000_000)
  const proto = found.composeStacks.find(({ name }) => name === 'constructor')
  expect(proto?.services).toMatchObject([
    { key: 'compose/constructor/__proto__', environment: expect.arrayContaining(['__proto__']) },
  ])
})

test('services with such names are adopted under plain ones, and their values sealed as they are', async () => {
  const serverId = await addServer(org, 'host1')
  const body = {
    serverId,
    projectName: `${tag} hostile`,
    serviceNames: [`container/${tag}-meta`, 'compose/constructor/__proto__'],
  }
  const { status, body: adopted, text } = await api('POST', '/api/migration/adopt', body)
  expect(status, text.slice(0, 500)).toBe(200)
  expect(adopted.project.services).toEqual([`${tag}-meta`, expect.stringMatching(/^[a-z0-9_-]+$/)])
  expect(text).not.toContain('$(id)')
})
