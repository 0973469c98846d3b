import { randomBytes } from 'node:crypto'
import { DriverFailure } from '../../errors.ts'
import type { RegistryLogin } from '../engine/registry-login.ts'
import { type Answer, type Ask, openLine } from './ask.ts'
import { type RegistryDoor, registryFailure } from './registry.ts'

/** For all questions together: somebody waits for the answer. */
const DEADLINE_MS = 4000

/** Where the public registry answers; its images are named without a host. */
const PUBLIC = { name: 'docker.io', answers: 'registry-1.docker.io' }

type Options = {
  /** Certificates of authorities beyond the usual ones. */
  extraRoots(): Promise<string[]>
}

export const registryDoor = ({ extraRoots }: Options): RegistryDoor => ({
  async check(login, options) {
    const late = AbortSignal.timeout(options.deadlineMs ?? DEADLINE_MS)
    const signal = AbortSignal.any([options.signal, late])
    const line = openLine({ ...options, signal }, await extraRoots())
    try {
      await signIn(line.ask, login)
    } catch (error) {
      options.signal.throwIfAborted()
      throw explain(error, login.host, late.aborted)
    } finally {
      line.close()
    }
  },
})

async function signIn(ask: Ask, login: RegistryLogin): Promise<void> {
  const { registry, answer } = await knock(ask, login.host)
  if (answer.status === 200) return requireAsking(ask, registry, login)
  if (answer.status !== 401) throw noRegistry(login.host, answer)
  const challenge = challengeOf(answer.challenge)
  if (challenge.scheme === 'basic') return requireTaken(login.host, await ask(registry, basic(login)))
  if (challenge.scheme !== 'bearer') throw noRegistry(login.host, answer)
  const token = await tokenFrom(ask, tokenServer(challenge, registry, login), login)
  requireTaken(login.host, await ask(registry, `Bearer ${token}`))
}

/** Without TLS only where the network was named by the operator; there, as an engine does it: when there is no TLS. */
async function knock(ask: Ask, host: string): Promise<{ registry: URL; answer: Answer }> {
  const address = host === PUBLIC.name ? PUBLIC.answers : host
  const registry = new URL(`https://${address}/v2/`)
  try {
    return { registry, answer: await ask(registry) }
  } catch (error) {
    if (!speaksPlain(error)) throw error
    const plain = new URL(`http://${address}/v2/`)
    const answer = await ask(plain).catch((second: { code?: string }) => {
      throw second.code === 'ADDRESS_REFUSED' ? error : second
    })
    return { registry: plain, answer }
  }
}

const speaksPlain = (error: unknown) => ['EPROTO', 'ECONNRESET'].includes((error as { code?: string }).code ?? '')

type Challenge = { scheme: string; realm: string; service: string | null }

function challengeOf(header: string): Challenge {
  const scheme = /^\s*(\w+)/.exec(header)?.[1]?.toLowerCase() ?? ''
  const said = Object.fromEntries([...header.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]))
  return { scheme, realm: said.realm ?? '', service: said.service ?? null }
}

/** Its address is the text of whoever answered: it gets the password only with TLS, or where the registry itself has none. */
function tokenServer({ realm, service }: Challenge, registry: URL, { host, username }: RegistryLogin): URL {
  const url = URL.parse(realm)
  const isFit =
    url !== null && (url.protocol === 'https:' || (url.protocol === 'http:' && registry.protocol === 'http:'))
  if (!isFit || url.username !== '' || url.password !== '')
    throw registryFailure('token_server_refused', `${host} names no token server that a password could be sent to.`)
  if (service !== null) url.searchParams.set('service', service)
  url.searchParams.set('account', username)
  return url
}

async function tokenFrom(ask: Ask, url: URL, login: RegistryLogin): Promise<string> {
  const answer = await ask(url, basic(login))
  if (answer.status === 401 || answer.status === 403) throw refused(login.host, answer)
  const { token, access_token } = parsed(answer.body)
  const found = token ?? access_token
  if (answer.status === 200 && typeof found === 'string' && /^[\x21-\x7e]+$/.test(found)) return found
  const message = `The token server of ${login.host} answered ${answer.status} and gave no token.`
  throw registryFailure('token_server_refused', message)
}

function parsed(text: string): { token?: unknown; access_token?: unknown } {
  try {
    return Object(JSON.parse(text)) as object
  } catch {
    return {}
  }
}

/** One that answers strangers may still know its own: then it refuses a password that cannot be right. */
async function requireAsking(ask: Ask, registry: URL, login: RegistryLogin): Promise<void> {
  requireTaken(login.host, await ask(registry, basic(login)))
  const wrong = { ...login, password: randomBytes(24).toString('hex') }
  const { status } = await ask(registry, basic(wrong))
  if (status === 401 || status === 403) return
  throw registryFailure('asks_nobody', `${login.host} lets everybody in, so a credential for it cannot be checked.`)
}

const basic = ({ username, password }: RegistryLogin) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

function requireTaken(host: string, answer: Answer): void {
  if (answer.status === 401 || answer.status === 403) throw refused(host, answer)
  if (answer.status !== 200) throw noRegistry(host, answer)
}

const refused = (host: string, { status }: Answer) =>
  registryFailure('login_refused', `${host} does not take this user name and password (${status}).`)

const noRegistry = (host: string, { status }: Answer) =>
  registryFailure('no_registry', `What answers at ${host} is no registry: GET /v2/ gave ${status}.`)

function explain(error: unknown, host: string, late: boolean): unknown {
  if (error instanceof DriverFailure) return error
  const { code = '', message } = error as { code?: string; message: string }
  if (late) return registryFailure('timeout', `${host} did not answer in time.`, error)
  if (code === 'ADDRESS_REFUSED')
    return registryFailure(
      'address_refused',
      `${host} leads to an address that this instance does not connect to.`,
      error,
    )
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return registryFailure('name_not_found', `There is no host ${host}.`, error)
  if (/^(?:ERR_TLS|EPROTO|CERT_|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|ERR_SSL)/.test(code) || /certificate/i.test(message))
    return registryFailure('tls', `No safe connection to ${host}: ${code || message}.`, error)
  return registryFailure('unreachable', `${host} cannot be reached: ${code || message}.`, error)
}
