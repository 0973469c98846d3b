import { randomBytes } from 'node:crypto'
import { type Answer, ok, page } from '../answer.ts'
import type { Host } from '../model.ts'
import { type Client, findClient, grantToken, scopesOf } from './grants.ts'
import { ask, toSignIn, type Visit, visitorOf } from './visit.ts'

const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const word = () => Array.from(randomBytes(4), (byte) => LETTERS[byte % LETTERS.length]).join('')

/** `/login/device/code`: begins a login on a device without a browser. */
export function beginDevice({ host, given }: Visit): Answer {
  const client = findClient(host, given.get('client_id'))
  if (!client) return ok({ error: 'Not Found' }, 404)
  const disabled = {
    error: 'device_flow_disabled',
    error_description: 'Device Flow must be explicitly enabled for this App',
  }
  if (!client.deviceFlow) return ok(disabled, 400)
  const { deviceIntervalSeconds: interval, deviceLifeMs: lifeMs } = host.settings
  const device_code = randomBytes(20).toString('hex')
  const user_code = `${word()}-${word()}`
  const scopes = scopesOf(given.get('scope'))
  const open = { userCode: user_code, at: Date.now(), intervalSeconds: interval, lifeMs, user: null, denied: false }
  host.grants.devices.set(device_code, { clientId: client.id, scopes, ...open, polledAt: 0 })
  const verification_uri = `https://${host.name}/login/device`
  return ok({ device_code, user_code, verification_uri, expires_in: lifeMs / 1000, interval })
}

const refuse = (error: string, error_description: string, more: object = {}) =>
  ok({ error, error_description, ...more })
/** What a poll may come early by: clocks and networks are not exact. */
const SLACK_MS = 100

export function pollDevice(host: Host, client: Client, code: string): Answer {
  const found = host.grants.devices.get(code)
  if (found?.clientId !== client.id) return refuse('incorrect_device_code', 'The device_code provided is not valid.')
  if (Date.now() - found.at > found.lifeMs) return refuse('expired_token', 'This device_code has expired.')
  const isEarly = Date.now() - found.polledAt < found.intervalSeconds * 1000 - SLACK_MS
  found.polledAt = Date.now()
  if (isEarly) {
    found.intervalSeconds += 5
    const interval = found.intervalSeconds
    return refuse('slow_down', 'Too many requests have been made in the same timeframe.', { interval })
  }
  if (found.denied) return refuse('access_denied', 'The authorization request was denied.')
  if (!found.user) return refuse('authorization_pending', 'The authorization request is still pending.')
  host.grants.devices.delete(code)
  return ok(grantToken(host, client, found.user, found.scopes))
}

/** `/login/device`: where the person types the code and agrees. */
export function devicePage(visit: Visit): Answer {
  const { host, given, isPost } = visit
  const user = visitorOf(visit)
  if (!user) return toSignIn(visit)
  const typed = given.get('user_code')?.toUpperCase()
  const found = [...host.grants.devices.values()].find(({ userCode }) => userCode === typed)
  if (!found) return page('<form><input name="user_code"><button>Continue</button></form>', typed ? 422 : 200)
  if (!isPost) return ask('Device activation', '/login/device', { user_code: found.userCode }, ['Authorize', 'Cancel'])
  if (given.get('decision') === 'Authorize') found.user = user
  else found.denied = true
  return page('<h1>Congratulations, you’re all set!</h1>')
}
