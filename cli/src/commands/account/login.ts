import { text as readText } from 'node:stream/consumers'
import type { Call, Command } from '../../command.ts'
import { EXIT, Failure, usage } from '../../failure.ts'
import { addressOf, isInClear } from '../../instance/address.ts'
import { askSecretly, canAsk } from '../../instance/ask.ts'
import { isOlder } from '../../instance/compare-versions.ts'
import { readConfig, writeConfig } from '../../instance/config-file.ts'
import type { Instance } from '../../instance/instance.ts'
import { connect } from '../../instance/open.ts'
import { checkedToken, targetOf, tokenIn } from '../../instance/target.ts'
import { day } from '../../show/words.ts'
import { VERSION } from '../../version.ts'

/** An access token is tried, then remembered with its instance. */
export const login: Command<'login'> = async (call) => {
  const { env, flags, out, words } = call
  const url = words[0] === undefined ? (await targetOf(call)).url : addressOf(words[0])
  if (isInClear(url))
    out.warn(`${out.paint('yellow', '!')} ${url} is not encrypted: whoever is on the line can read the token.`)
  const token = checkedToken(await tokenFrom(call, url))
  const instance = connect({ url, token, context: null }, call.signal)
  await requireUnderstood(instance)
  const me = await instance.api.me.show()
  const config = await readConfig(env)
  const name = flags.name ?? nameFor(config.contexts, url)
  const { id, expiresAt } = me.credential
  config.contexts[name] = { url, token, tokenId: id, expiresAt }
  await writeConfig(env, { ...config, current: name })
  out.say(`${out.paint('green', '✓')} Signed in to ${url} as ${me.user.email} (${me.role} of ${me.organization.name})`)
  if (expiresAt !== null) out.say(`  This token ends on ${day(expiresAt)}.`)
  out.event({
    success: true,
    context: name,
    url,
    user: me.user,
    organization: me.organization,
    role: me.role,
    expiresAt,
  })
}

async function tokenFrom(call: Call<{ 'token-stdin': boolean }>, url: string): Promise<string> {
  if (call.flags['token-stdin']) return readText(call.stdin())
  const inFile = await tokenIn(call.flags['token-file'])
  if (inFile !== null) return inFile
  if (canAsk(call)) return askSecretly(call, `Access token for ${url}`)
  throw usage('Which access token?', 'Give it on standard input: slipway login URL --token-stdin < FILE')
}

/** Two versions that do not understand each other are told apart before anything is asked. */
async function requireUnderstood({ api, url }: Instance): Promise<void> {
  const { version, cli } = await api.operations.instance()
  if (!isOlder(VERSION, cli.least)) return
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
