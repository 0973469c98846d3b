import type { Call, Command } from '../../command.ts'
import { EXIT, Failure } from '../../failure.ts'
import { addressOf, isInClear } from '../../instance/address.ts'
import { isUnderstood } from '../../instance/compare-versions.ts'
import { readConfig, writeConfig } from '../../instance/config-file.ts'
import type { Instance } from '../../instance/instance.ts'
import { connect } from '../../instance/open.ts'
import { checkedToken, targetOf, tokenIn } from '../../instance/target.ts'
import { allOf } from '../../parse/pairs.ts'
import { day } from '../../show/words.ts'
import { VERSION } from '../../version.ts'

/** In a browser, or with an access token that is given. Either is tried, then remembered with its instance. */
export const login: Command<'login'> = async (call) => {
  const { out, words } = call
  const url = words[0] === undefined ? targetOf(call).url : addressOf(words[0])
  if (isInClear(url))
    out.warn(`${out.paint('yellow', '!')} ${url} is not encrypted: whoever is on the line can read the token.`)
  const given = await tokenGiven(call)
  const stranger = connect({ url, token: null, context: null }, call.signal)
  await requireUnderstood(stranger)
  if (given !== null) return remember(call, url, given)
  const { signIn } = await import('../../sign-in/sign-in.ts')
  const { secret, token } = await signIn(call, stranger)
  try {
    await remember(call, url, secret, token.name)
  } catch (error) {
    await forgo(url, secret)
    throw error
  }
}

/** `made`: what the token is called that this very sign-in was given. */
async function remember(call: Call<{ name: string | undefined }>, url: string, token: string, made?: string) {
  const { env, flags, out } = call
  const me = await connect({ url, token, context: null }, call.signal).api.me.show()
  const config = readConfig(env)
  const name = flags.name ?? nameFor(config.contexts, url)
  const { id, expiresAt } = me.credential
  config.contexts[name] = { url, token, tokenId: id, expiresAt }
  writeConfig(env, { ...config, current: name })
  const { user, organization, role } = me
  const host = new URL(url).host
  out.say(`${out.paint('green', '✓')} Signed in to ${host} as ${user.email} (${role} of ${organization.name})`)
  if (expiresAt !== null) out.say(ends(day(expiresAt), id, made))
  out.event({ success: true, context: name, url, user, organization, role, tokenId: id, expiresAt })
}

const ends = (on: string, id: string, made: string | undefined) =>
  made === undefined
    ? `  This token ends on ${on}.`
    : `  This machine's token "${made}" ends on ${on} and can be taken back: slipway tokens revoke ${id}`

/** A token that nobody has kept would be good for months. */
async function forgo(url: string, token: string): Promise<void> {
  const { api } = connect({ url, token, context: null }, AbortSignal.timeout(FORGO_MS), 1)
  await api.tokens.endSelf().catch(() => {})
}

const FORGO_MS = 5000

async function tokenGiven(call: Call<{ 'token-stdin': boolean }>): Promise<string | null> {
  if (call.flags['token-stdin']) return checkedToken(await allOf(call.stdin()))
  return tokenIn(call.flags['token-file'])
}

/** Two versions that do not understand each other are told apart before anything is asked. */
async function requireUnderstood({ api, url }: Instance): Promise<void> {
  const { version, cli } = await api.operations.instance()
  if (isUnderstood(VERSION, cli)) return
  throw new Failure(
    EXIT.usage,
    'too_old',
    `${url} is ${version} and understands this command line from ${cli.least} on; this is ${VERSION}.`,
    `Install ${cli.newest}.`,
  )
}

/** The host; with a number where another instance has it. Signing in again to the same one takes its place. */
function nameFor(contexts: Record<string, { url: string }>, url: string): string {
  const known = Object.entries(contexts).find(([, one]) => one.url === url)?.[0]
  if (known !== undefined) return known
  const { hostname } = new URL(url)
  const taken = (name: string) => contexts[name] !== undefined
  for (let n = 2, name = hostname; ; name = `${hostname}-${n++}`) if (!taken(name)) return name
}
