import type { Arrival, Outcome } from '../../core/githost/connect/arrive.ts'
import { escaped, page as pageOf, sourceHash } from './html.ts'

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:30rem;margin:4rem auto;padding:0 1rem;color-scheme:light dark}
button,a.go{font:inherit;display:inline-block;padding:.5rem 1rem;border:1px solid;border-radius:.3rem;text-decoration:none;color:inherit;background:none}`

const page = (title: string, body: string) => pageOf(title, STYLE, body)

const SAID: Record<Outcome, [title: string, text: string]> = {
  connected: ['Connected', 'The git host is connected. You can close this window.'],
  denied: ['Not connected', 'The git host was told not to connect. Nothing was changed.'],
  failed: ['Not connected', 'The git host could not be connected.'],
  requested: [
    'Waiting for an owner',
    'An owner of the organization at the git host must approve the app. Connect again when that is done.',
  ],
  unfinished: [
    'Almost connected',
    'The app is installed, but nobody has said for which organization. Begin to connect in Slipway to finish it.',
  ],
}

/** Says for whom one is about to connect: whoever was sent here by somebody else sees another organization's name. */
function asking(asked: Extract<Arrival, { ask: unknown }>['ask']): string {
  const { organization, beganBy, host, action, manifest, for: by } = asked
  const whom = `<b>${escaped(organization)}</b>`
  const begun = by
    ? `for the instance <b>${escaped(by.instance)}</b> (linked by ${escaped(beganBy)})`
    : `(begun by ${escaped(beganBy)})`
  const reach = by
    ? `Its members, and those of the instance, will reach your repositories. Afterwards you are sent to <b>${escaped(by.returnsTo)}</b>.`
    : 'Its members will reach your repositories.'
  const button =
    manifest === null
      ? `<p><a class="go" href="${escaped(action)}">Connect ${escaped(organization)}</a></p>`
      : `<p>An app of your own is made there. Only the account that owns it can install it.</p><form method="post" action="${escaped(action)}"><input type="hidden" name="manifest" value="${escaped(manifest)}"><button>Connect ${escaped(organization)}</button></form>`
  return page(
    'Connect the git host',
    `<p>Connect ${whom} ${begun} with the account you are signed in to at ${escaped(host)}.</p><p>${reach} If you did not begin this, close this window.</p>${button}`,
  )
}

export function githostPage(arrival: Exclude<Arrival, { go: string }>): { status: number; html: string } {
  if ('ask' in arrival) return { status: 200, html: asking(arrival.ask) }
  if ('again' in arrival) {
    const text = '<p>This link was used, is too old, or was opened in another browser. Begin to connect again.</p>'
    return { status: 400, html: page('Start again', text) }
  }
  const [title, text] = SAID[arrival.done]
  const reason = arrival.message === null ? '' : `<p>${escaped(arrival.message)}</p>`
  const back = arrival.back === undefined ? '' : `<p><a class="go" href="${escaped(arrival.back)}">Go back</a></p>`
  return { status: 200, html: page(title, `<p>${text}</p>${reason}${back}`) }
}

/** No script at all, nobody frames it, and a form goes to the git host alone. */
export const githostPageHeaders = (hostUrl: string) => ({
  'content-security-policy': `default-src 'none'; style-src ${sourceHash(STYLE)}; form-action ${hostUrl}; frame-ancestors 'none'; base-uri 'none'`,
  'referrer-policy': 'no-referrer',
})
