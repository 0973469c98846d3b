import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { hostname, userInfo } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { startWorld } from '../../test-kit/world.ts'
import { newHome, slipway } from './run-here.ts'

const world = await startWorld()
const org = await world.org('Home')
const session = await world.session(org.owner)
const MACHINE = `${userInfo().username}@${hostname()}`
let url: string

beforeAll(async () => {
  url = await world.app.listen({ port: 0, host: '127.0.0.1' })
})

/** A machine with a display, whose browser writes down where it was sent. */
async function withBrowser() {
  const home = await newHome()
  const bin = join(home, 'bin')
  const visited = join(home, 'visited')
  await mkdir(bin)
  const script = `#!${process.execPath}\nrequire('node:fs').writeFileSync(${JSON.stringify(visited)}, process.argv[2])\n`
  await writeFile(join(bin, 'xdg-open'), script)
  await chmod(join(bin, 'xdg-open'), 0o755)
  const env = { HOME: home, DISPLAY: ':0', PATH: [bin, dirname(process.execPath)].join(delimiter) }
  return { home, env, sentTo: () => readFile(visited, 'utf8').catch(() => '') }
}

/** A command line that is being signed in, and the code that it shows. */
function begin(argv: string[], env: NodeJS.ProcessEnv, more: { signal?: AbortSignal } = {}) {
  let printed = ''
  const heard = (text: string) => {
    printed += text
  }
  const ended = slipway(['login', url, ...argv], { env, tty: true, heard, ...more })
  const code = async () => {
    await expect.poll(() => printed, { timeout: 60_000 }).toMatch(/[0-9A-Z]{4}-[0-9A-Z]{4}/)
    return /[0-9A-Z]{4}-[0-9A-Z]{4}/.exec(printed)?.[0] ?? ''
  }
  return { ended, code, printed: () => printed }
}

/** What the signed-in person sends from one of the two pages. */
const send = (path: string, fields: Record<string, string>) =>
  world.as('')('POST', path, Buffer.from(new URLSearchParams(fields).toString()), {
    ...session,
    'content-type': 'application/x-www-form-urlencoded',
  })

const refreshIn = (page: string) => /content="0;url=([^"]*)"/.exec(page)?.[1] ?? ''

test('signing in opens the browser, which brings the code back; signing out ends the token', async () => {
  const { env, sentTo } = await withBrowser()
  const { ended, code } = begin([], env)
  const userCode = await code()
  await expect.poll(sentTo, { timeout: 60_000 }).toBe(`${world.config.publicUrl}/cli?code=${userCode}`)
  const approved = await send('/cli', { act: 'approve', code: userCode })
  const redirect = refreshIn(approved.text)
  // A page that guesses the port does not get through.
  expect((await fetch(new URL('/?code=xxxxxxxxxxxxxxxxxxxxxxxx', redirect))).status).toBe(404)
  const page = await fetch(redirect)
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Back to your terminal')])
  const { code: exit, err } = await ended
  expect(exit).toBe(0)
  expect(err).toContain(`Opening ${world.config.publicUrl}/cli?code=${userCode} in your browser.`)
  expect(err).toContain(`Signed in to ${new URL(url).host} as ${org.owner.userId}@example.com (owner of Home)`)
  expect(err).toMatch(/This machine's token ".*" ends on .* and can be taken back: slipway tokens revoke tok_/)
  const { data } = (await org.owner.api('GET', '/api/tokens')).body
  expect(data.find(({ name }: { name: string }) => name === MACHINE)).toMatchObject({ scopes: null })
  expect((await slipway(['whoami', '--json'], { env })).json()).toMatchObject({ role: 'owner' })
  expect((await slipway(['logout'], { env })).err).toContain('and the token has ended')
  const left = (await org.owner.api('GET', '/api/tokens')).body.data
  expect(left.some(({ name }: { name: string }) => name === MACHINE)).toBe(false)
})

test('over SSH no browser is opened: a code is shown for one anywhere, and the command line asks until somebody said yes', async () => {
  const { env, sentTo } = await withBrowser()
  const { ended, code } = begin([], { ...env, SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' })
  const userCode = await code()
  expect((await send('/device', { act: 'approve', code: userCode })).status).toBe(200)
  const { code: exit, err } = await ended
  expect([exit, await sentTo()]).toEqual([0, ''])
  expect(err).toContain(`Open ${world.config.publicUrl}/device on any machine and enter`)
  expect(err).toContain('(expires in 10 min)  waiting…')
})

test('with a browser here, the code may be entered elsewhere all the same', async () => {
  const { env } = await withBrowser()
  const { ended, code } = begin([], env)
  await send('/device', { act: 'approve', code: await code() })
  expect((await ended).code).toBe(0)
})

test('--json tells where to go, then what came of it; --device needs no terminal', async () => {
  const env = { HOME: await newHome() }
  let printed = ''
  const heard = (text: string) => {
    printed += text
  }
  const ended = slipway(['login', url, '--device', '--json'], { env, heard })
  await expect.poll(() => printed, { timeout: 60_000 }).toContain('userCode')
  const waiting = JSON.parse(printed)
  expect(waiting).toMatchObject({ event: 'waiting', flow: 'device', verifyUrl: `${world.config.publicUrl}/device` })
  await send('/device', { act: 'approve', code: waiting.userCode })
  const { code, lines, out } = await ended
  expect([code, lines().at(-1)]).toMatchObject([
    0,
    { success: true, role: 'owner', tokenId: expect.stringMatching(/^tok_/) },
  ])
  expect(out).not.toContain('slp_')
})

test('refused in the browser: exit code 4, and nothing is remembered', async () => {
  const env = { HOME: await newHome() }
  const { ended, code } = begin(['--device', '--json'], env)
  await send('/device', { act: 'deny', code: await code() })
  const answer = await ended
  expect([answer.code, answer.json()]).toMatchObject([4, { success: false, code: 'access_denied' }])
  expect((await slipway(['context', 'ls', '--json'], { env })).json()).toEqual({ data: [] })
})

test('a request that expires: exit code 3', async () => {
  const { ended, code } = begin(['--device', '--json'], { HOME: await newHome() })
  await code()
  await world.platform.pool.query(`update cli_sign_in set expires_at = now() - interval '1 second'`)
  const answer = await ended
  expect([answer.code, answer.json()]).toMatchObject([3, { success: false, code: 'expired_token' }])
})

test('Ctrl-C leaves at once, and what was shown can be answered in vain', async () => {
  const left = new AbortController()
  const { env } = await withBrowser()
  const { ended, code } = begin(['--json'], env, { signal: left.signal })
  const userCode = await code()
  left.abort()
  const answer = await ended
  expect([answer.code, answer.json()]).toMatchObject([130, { success: false, code: 'interrupted' }])
  const redirect = refreshIn((await send('/cli', { act: 'approve', code: userCode })).text)
  await expect(fetch(redirect)).rejects.toThrow()
})

test('a token that cannot be remembered is ended', async () => {
  const home = await newHome()
  await mkdir(join(home, '.config/slipway'), { recursive: true })
  await writeFile(join(home, '.config/slipway/config.json'), 'broken')
  const { ended, code } = begin(['--device', '--json'], { HOME: home })
  await chmod(join(home, '.config/slipway'), 0o700)
  await chmod(join(home, '.config/slipway/config.json'), 0o600)
  await send('/device', { act: 'approve', code: await code() })
  const answer = await ended
  expect([answer.code, answer.json().code]).toEqual([1, 'config_broken'])
  const { data } = (await org.owner.api('GET', '/api/audit?action=token.revoke')).body
  expect(data[0].actor).toMatchObject({ kind: 'token', id: org.owner.userId })
})

test.each([
  ['without a terminal', [], false, {}],
  ['when nothing may be asked', ['--no-input'], true, {}],
  ['in CI', [], true, { CI: 'true' }],
])('%s nobody is waited for: exit code 2 names both ways', async (_, argv, tty, env) => {
  const home = await newHome()
  const answer = await slipway(['login', url, '--json', ...argv], { env: { HOME: home, ...env }, tty })
  expect([answer.code, answer.json().code]).toEqual([2, 'usage'])
  for (const way of ['--token-stdin', '--device']) expect(answer.json().hint).toContain(way)
})
