import { createHash } from 'node:crypto'

/** Takes the code from behind the #, where no server or log sees it, and sends it once with the form. */
const SCRIPT = `
const form = document.forms[0], said = document.querySelector('output')
form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const { name, password } = Object.fromEntries(new FormData(form))
  const body = JSON.stringify({ code: location.hash.slice(1), ...(name && { name }), password })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch('/api/auth/accept', { method: 'POST', headers, body }).then((r) => r.json(), () => null)
  if (answer?.success) { form.hidden = true; said.textContent = 'Done. You can sign in with your email and this password.' }
  else said.textContent = answer ? answer.error + ' ' + (answer.hint ?? '') : 'The server did not answer; try again.'
})`

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:24rem;margin:4rem auto;padding:0 1rem;color-scheme:light dark}
label{display:block;margin:1rem 0}input,button{font:inherit;width:100%;padding:.4rem;box-sizing:border-box}`

export const JOIN_PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Join Slipway</title><style>${STYLE}</style><h1>Join Slipway</h1>
<form><label>Your name <input name="name" maxlength="80" autocomplete="name"></label>
<label>Password, at least 10 characters (if you have an account, its password)
<input name="password" type="password" minlength="10" maxlength="128" required autocomplete="new-password"></label>
<button>Join</button></form><p><output></output></p><script>${SCRIPT}</script></html>`

const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Nothing but this very script and style runs, nobody frames the page, and the link is not passed on. */
export const JOIN_HEADERS = {
  'content-security-policy': `default-src 'none'; script-src ${hash(SCRIPT)}; style-src ${hash(STYLE)}; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
  'referrer-policy': 'no-referrer',
}
