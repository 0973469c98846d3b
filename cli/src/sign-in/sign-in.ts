import { createHash, randomBytes } from 'node:crypto'
import { hostname, userInfo } from 'node:os'
import { visibleLine } from '@slipway/contract/visible-text'
import type { Call } from '../command.ts'
import { usage } from '../failure.ts'
import { hasBrowser, openInBrowser } from '../instance/browser.ts'
import type { Instance } from '../instance/instance.ts'
import { isAgent } from '../show/output.ts'
import { type Loopback, listenForCode } from './loopback.ts'
import { type Granted, waitForToken } from './wait.ts'

type Asking = Call<{ device: boolean }>
type Asked = Awaited<ReturnType<Instance['api']['cliLogin']['ask']>>

/** A person lets this machine in, in a browser here or anywhere else. The verifier stays in this process (PKCE). */
export async function signIn(call: Asking, { api }: Instance): Promise<Granted> {
  requireSomebody(call)
  const verifier = randomBytes(32).toString('base64url')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const here = !call.flags.device && hasBrowser(call.env)
  const loopback = here ? await listenForCode().catch(() => null) : null
  try {
    const body = { challenge, name: machineName(call.env), ...(loopback && { redirect: loopback.redirect }) }
    const asked = await api.cliLogin.ask({ body })
    await tell(call, asked, loopback)
    return await waitForToken(api, { ...asked, verifier }, loopback?.code ?? null, call.signal)
  } finally {
    loopback?.close()
  }
}

/** Nothing is waited for that cannot come. Whoever says --device will see to it. */
function requireSomebody({ flags, stderr: { isTTY }, env }: Asking): void {
  if (flags.device || (isTTY === true && !flags['no-input'] && !isAgent(env))) return
  throw usage(
    'Nobody is here to sign in.',
    'Give an access token: slipway login URL --token-stdin < FILE\nOr show a code for a browser elsewhere: slipway login URL --device',
  )
}

/** No flag silences it: without the code nobody could go on. */
async function tell(call: Asking, asked: Asked, loopback: Loopback | null): Promise<void> {
  const { out, env } = call
  const { userCode, verifyUrl, expiresAt, expiresIn } = asked
  const code = out.paint('bold', userCode)
  const waiting = `  (expires in ${Math.round(expiresIn / 60)} min)  waiting…`
  const flow = loopback === null ? 'device' : 'browser'
  out.event({ event: 'waiting', flow, verifyUrl, userCode, expiresAt })
  if (out.json) {
    if (loopback !== null) await openInBrowser(verifyUrl, env)
    return
  }
  if (loopback === null) {
    out.warn(`  Open ${verifyUrl} on any machine and enter   ${code}`)
  } else {
    const opened = await openInBrowser(verifyUrl, env)
    out.warn(opened ? `  Opening ${verifyUrl} in your browser.` : `  Open ${verifyUrl} in a browser of this machine.`)
    out.warn(`  It must show this code:   ${code}`)
    out.warn(`  No browser here? Open ${new URL('/device', verifyUrl).href} anywhere and enter it.`)
  }
  out.say(waiting)
}

/** `ada@laptop`: by which its token is found again among others. */
function machineName(env: NodeJS.ProcessEnv): string {
  return visibleLine(`${userName(env)}@${hostname()}`)
    .slice(0, 80)
    .trim()
}

/** A container may run as a number that nobody is called. */
function userName(env: NodeJS.ProcessEnv): string {
  try {
    return userInfo().username
  } catch {
    return env.USER || 'somebody'
  }
}
