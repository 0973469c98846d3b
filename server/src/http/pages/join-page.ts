import { sourceHash } from './html.ts'

/** Takes the code from behind the #, where no server or log sees it, and sends it with one of the two forms. */
const SCRIPT = `
const [fresh, known] = document.forms, said = document.querySelector('output')
const code = location.hash.slice(1)
const ask = (path, body) => fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  .then((answer) => answer.json(), () => ({ error: 'The server did not answer; try again.' }))
const say = (answer, done) => {
  if (answer.success) { fresh.hidden = known.hidden = true; said.textContent = done }
  else said.textContent = answer.error + ' ' + (answer.hint ?? '')
}
const on = (form, act) => form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const button = form.querySelector('button')
  button.disabled = true
  await act(Object.fromEntries(new FormData(form)))
  button.disabled = false
})
on(fresh, async ({ name, password }) => say(await ask('/api/auth/accept', { code, ...(name && { name }), password }),
  'Done. Sign in with the invited address and this password. If the address had an account before, nothing was changed: open the link again and join with that account.'))
on(known, async ({ email, currentPassword, newPassword }) => {
  const signedIn = await ask('/api/auth/sign-in/email', { email, password: currentPassword })
  if (!signedIn.success) return say(signedIn)
  let joined = await ask('/api/me/invitations', { code })
  if (joined.code === 'password_not_new') {
    const changed = await ask('/api/me/password', { currentPassword, newPassword })
    joined = changed.success ? await ask('/api/me/invitations', { code }) : changed
  }
  say(joined, 'Done. You are signed in, and a member. Your password is the new one.')
})`

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:24rem;margin:4rem auto;padding:0 1rem;color-scheme:light dark}
label{display:block;margin:1rem 0}input,button{font:inherit;width:100%;padding:.4rem;box-sizing:border-box}`

const password = (name: string, complete: string) =>
  `<input name="${name}" type="password" minlength="10" maxlength="128" required autocomplete="${complete}">`

/** Both forms are always shown: which of them fits is known to the person, and not said to whoever holds the link. */
export const JOIN_PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Join Slipway</title><style>${STYLE}</style><h1>Join Slipway</h1>
<form><h2>I am new here</h2><label>Your name <input name="name" maxlength="80" autocomplete="name"></label>
<label>Password, at least 10 characters ${password('password', 'new-password')}</label><button>Join</button></form>
<form><h2>I have an account</h2>
<label>Email <input name="email" type="email" required autocomplete="username"></label>
<label>Password ${password('currentPassword', 'current-password')}</label>
<label>New password: whoever made the account may know the old one ${password('newPassword', 'new-password')}</label>
<button>Sign in and join</button></form><p><output></output></p><script>${SCRIPT}</script></html>`

/** Nothing but this very script and style runs, nobody frames the page, and the link is not passed on. */
export const JOIN_HEADERS = {
  'content-security-policy': `default-src 'none'; script-src ${sourceHash(SCRIPT)}; style-src ${sourceHash(STYLE)}; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
  'referrer-policy': 'no-referrer',
}
