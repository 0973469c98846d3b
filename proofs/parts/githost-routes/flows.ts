import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { labPart } from '../../../lab/ask.ts'
import { buttonOf, connectBy } from '../../../test-kit/githost-browser.ts'
import { until } from '../../../test-kit/until.ts'
import { REDIRECT, type Stage, type Tenant } from './stage.ts'

const DEADLINE_MS = 60_000
const CONNECTED = 'The git host is connected'

export const begin = async ({ api }: Tenant, body: object): Promise<string> =>
  String((await api('POST', '/api/githost/connect', body)).body.url)
const pollOf = async ({ api }: Tenant) => (await api('GET', '/api/githost/connect/poll')).body

/** Manifest, installation, proof, and a token that clones: an app of the organization's own. */
export async function manifestFlow({ host, check, browser, database }: Stage, org: Tenant): Promise<void> {
  const visitor = browser()
  await visitor.signIn('ada')
  const { action, form } = buttonOf(
    (await visitor.visit(await begin(org, { source: 'manifest', account: 'acme' }))).text,
  )
  const back = await visitor.visit(action, form, /installations\/new/)
  const end = await visitor.visit(`${back.url}&target=acme`)
  check('manifest: installed and proved in one trip', end.text.includes(CONNECTED), true)
  const { rows } = await database.pool.query(
    `select a.slug, l.repo_ids, l.proof_login from githost_app a join githost_link l on l.app = a.id where l.org_id = $1`,
    [org.orgId],
  )
  check(
    'manifest: the app is the organization’s, the proof covers all',
    [rows.length, rows[0]?.repo_ids, rows[0]?.proof_login],
    [1, null, 'ada'],
  )
  check('manifest: poll', (await pollOf(org)).status, 'connected')
  const token = await org.api('GET', '/api/githost/repos/acme/shop/clone-token')
  check('manifest: a clone token', [token.status, String(token.body?.token).slice(0, 4)], [200, 'ghs_'])
  const again = await visitor.visit(`${REDIRECT}?code=used&state=${new URL(action).searchParams.get('state')}`)
  check('manifest: its state is used', again.status, 400)
  const stale = await org.api('POST', '/api/githost/connect', { source: 'manifest' })
  const other = buttonOf((await visitor.visit(stale.body.url)).text)
  const failed = await visitor.visit(`${REDIRECT}?code=none&state=${new URL(other.action).searchParams.get('state')}`)
  check(
    'manifest: a code that is none',
    [failed.text.includes('could not be connected'), (await pollOf(org)).status],
    [true, 'failed'],
  )
  host.do.requests()
}

/** In the browser, with a challenge: what comes back without its verifier is worth nothing. */
export async function webFlow({ host, check, browser }: Stage, org: Tenant): Promise<void> {
  const visitor = browser()
  await visitor.signIn('ada')
  const { action } = buttonOf((await visitor.visit(await begin(org, { source: 'oauth' }))).text)
  const asked = new URL(action).searchParams
  check('web: S256', [asked.get('code_challenge_method'), asked.get('code_challenge')?.length], ['S256', 43])
  const denied = await visitor.visit(`${REDIRECT}?error=access_denied&state=${asked.get('state')}`)
  check('web: denied', [denied.text.includes('told not to connect'), (await pollOf(org)).status], [true, 'denied'])
  // The host is away when the code comes back: nothing is half connected.
  const cut = buttonOf((await visitor.visit(await begin(org, { source: 'oauth' }))).text)
  const back = await visitor.visit(cut.action, undefined, /^https:\/\/slipway/)
  host.do.faults({ outage: true })
  const away = await visitor.visit(back.url)
  host.do.clearFaults()
  check('web: host away', [away.text.includes('could not be connected'), (await pollOf(org)).status], [true, 'failed'])
  // Somebody else's challenge: the code was asked for by another attempt.
  const [mine, theirs] = [await begin(org, { source: 'oauth' }), await begin(org, { source: 'oauth' })]
  const [one, two] = [buttonOf((await visitor.visit(mine)).text), buttonOf((await browser().visit(theirs)).text)]
  const foreign = new URL(one.action)
  foreign.searchParams.set('code_challenge', new URL(two.action).searchParams.get('code_challenge') ?? '')
  const swapped = await visitor.visit(foreign.href)
  check('web: a code with another verifier', swapped.text.includes('could not be connected'), true)
  const end = await connectBy(visitor, 'ada', await begin(org, { source: 'oauth' }))
  check('web: connected', end.text.includes(CONNECTED), true)
  const status = (await org.api('GET', '/api/githost/status')).body
  check('web: as whom', [status.state, status.accounts[0]?.login, status.problems], ['oauth', 'ada', []])
}

/** By a code: pending, too fast, denied, too late, and done; the server polls, whoever watches only reads. */
export async function deviceFlow(stage: Stage): Promise<void> {
  const { host, check, database } = stage
  host.do.deviceSettings({ interval: 1 })
  const at = await stage.startDevice()
  const status = async (org: Tenant, wanted: string) =>
    until(`the device login is ${wanted}`, DEADLINE_MS, async () => {
      const poll = await pollOf(org)
      return poll.status === wanted ? poll : undefined
    })
  const pending = async (email: string) => {
    const org = await stage.tenant(email, at)
    const begun = (await org.api('POST', '/api/githost/connect', { source: 'oauth' })).body
    return { org, begun }
  }
  const { org, begun } = await pending('device@example.com')
  check('device: a code', [begun.flow, /^\w{4}-\w{4}$/.test(begun.userCode), begun.interval], ['device_code', true, 1])
  const tab = (await org.api('POST', '/api/githost/connect', { source: 'oauth' })).body
  check('device: the same code in every tab', tab.userCode, begun.userCode)
  check('device: pending', (await pollOf(org)).status, 'pending')
  // The host takes the next question for one too many, and its pace is kept from then on.
  host.do.deviceSettings({ interval: 30 })
  const slow = await pending('slow@example.com')
  const slowed = await until('the host says slow_down', DEADLINE_MS, async () => {
    const { rows } = await database.pool.query(
      `update githost_attempt set poll_at = least(poll_at, now()) where user_code = $1 returning interval_seconds as n`,
      [slow.begun.userCode],
    )
    return rows[0].n > 30 ? rows[0].n : undefined
  })
  check('device: slow_down adds five seconds', slowed % 5 === 0 && slowed > 30, true)
  host.do.deviceSettings({ interval: 1 })
  host.do.approveDevice({ userCode: begun.userCode, login: 'ada' })
  check('device: connected', [(await status(org, 'connected')).login, (await pollOf(org)).userCode], ['ada', null])
  const no = await pending('denied@example.com')
  host.do.approveDevice({ userCode: no.begun.userCode, login: 'ada', deny: true })
  check('device: denied', (await status(no.org, 'denied')).status, 'denied')
  host.do.deviceSettings({ lifeMs: 1000 })
  const late = await pending('late@example.com')
  check('device: expired', (await status(late.org, 'expired')).status, 'expired')
  host.do.deviceSettings({ lifeMs: 900_000 })
  const { clientId } = host.do.oauthApp({ name: 'off', callbackUrls: [], deviceFlow: false })
  const other = await stage.startDevice({ SLIPWAY_GITHOST_CLIENT_ID: clientId })
  const off = await stage.tenant('off@example.com', other)
  check(
    'device: switched off at the host',
    (await off.api('POST', '/api/githost/connect', { source: 'oauth' })).body.flow,
    'terminal',
  )
  // They know nothing of the instance's app.
  for (const one of [at, other]) await one.stop()
}

/** The command that connect answers with is run in a terminal; the token stays with the program. */
export async function terminalFlow({ host, check, ghDir }: Stage, org: Tenant): Promise<void> {
  const local = async () => (await org.api('GET', '/api/githost/local-status')).body
  check('gh: signed out', [(await local()).available, (await local()).loggedIn], [true, false])
  const begun = (await org.api('POST', '/api/githost/connect', { source: 'cli' })).body
  check('gh: the command', [begun.flow, begun.command.startsWith('gh auth login --hostname ')], ['terminal', true])
  host.do.deviceSettings({ interval: 1 })
  // By the host's own name and through its proxy; deleting repositories is asked for besides.
  const [, ...args] = String(begun.command).split(' ')
  const argv = args.map((arg, n) =>
    args[n - 1] === '--hostname' ? host.host : args[n - 1] === '--scopes' ? `${arg},delete_repo` : arg,
  )
  const { gh } = labPart('githost')
  const env = {
    ...{ PATH: process.env.PATH ?? '', HOME: ghDir, GH_CONFIG_DIR: ghDir, GH_BROWSER: 'true', NO_COLOR: '1' },
    ...{ HTTPS_PROXY: host.proxy, SSL_CERT_FILE: host.caFile, GH_NO_UPDATE_NOTIFIER: '1' },
  }
  const login = new Promise<number>((done) => {
    execFile(gh, argv, { env, timeout: DEADLINE_MS }, (error) => done(error ? 1 : 0)).stdin?.end()
  })
  const waiting = async () => host.do.openDevices().find(({ approved, denied }) => !approved && !denied)?.userCode
  host.do.approveDevice({ userCode: await until('gh waits for its code', DEADLINE_MS, waiting), login: 'cleo' })
  check('gh: signed in', await login, 0)
  const file = join(ghDir, 'hosts.yml')
  const hosts = readFileSync(file, 'utf8')
  writeFileSync(file, `${hosts.trimEnd()}\n${hosts.replace(`${host.host}:`, `${new URL(host.url).host}:`)}`)
  check('gh: seen', [(await local()).loggedIn, (await local()).login], [true, 'cleo'])
  check('gh: connected', (await org.api('POST', '/api/githost/connect', { source: 'cli' })).body.connected, true)
}
