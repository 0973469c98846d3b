import type { CliSignIn } from '@slipway/contract/cli-login'
import { escaped, page, sourceHash } from './html.ts'

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:30rem;margin:4rem auto;padding:0 1rem;color-scheme:light dark}
label{display:block;margin:1rem 0}input,select,button{font:inherit;padding:.5rem;box-sizing:border-box}input,select{width:100%}
button{margin:0 .5rem .5rem 0;padding:.5rem 1rem}dt{font-weight:bold}dd{margin:0 0 .5rem}.code{font:bold 2rem ui-monospace,monospace;letter-spacing:.1em}
.small{margin-top:3rem;font-size:.9rem}.said{border-left:.3rem solid;padding-left:.7rem}`

/** Which of the two pages; `code` is carried along, so that it is still there after signing in. */
export type Place = { path: '/cli' | '/device'; code: string }
export type Html = { status: number; html: string }

const TITLE = 'Sign in the command line'
const said = (text: string | null) => (text === null ? '' : `<p class="said" role="alert">${escaped(text)}</p>`)
const answer = (body: string, status = 200, head = ''): Html => ({ status, html: page(TITLE, STYLE, body, head) })
const form = ({ path, code }: Place, body: string) =>
  `<form method="post" action="${path}"><input type="hidden" name="code" value="${escaped(code)}">${body}</form>`

export const signInPage = (place: Place, problem: string | null = null, status = 200): Html =>
  answer(
    `<p>Sign in first. Then you see which machine asks.</p>${said(problem)}${form(
      place,
      `<label>Email <input name="email" type="email" required autocomplete="username"></label>
<label>Password <input name="password" type="password" maxlength="128" required autocomplete="current-password"></label>
<button name="act" value="sign-in">Sign in</button>`,
    )}`,
    status,
  )

/** Typed by hand: a link that somebody else sent brings no code along. */
export const codePage = (email: string, problem: string | null = null, status = 200): Html =>
  answer(
    `${said(problem)}<form method="post" action="/device"><label>The code that your terminal shows
<input name="code" required maxlength="32" autocomplete="off" autocapitalize="characters" spellcheck="false" placeholder="XXXX-XXXX" autofocus></label>
<button name="act" value="look">Go on</button></form>${signedInAs({ path: '/device', code: '' }, email)}`,
    status,
  )

export const problemPage = (problem: string, status: number): Html =>
  answer(`${said(problem)}<p>You can close this window.</p>`, status)

const signedInAs = (place: Place, email: string) =>
  `<div class="small">You are ${escaped(email)}.${form(place, '<button name="act" value="sign-out">Sign in as somebody else</button>')}</div>`

/** Says who asks, from where and for what: whoever was sent here by somebody else sees that it is not their own machine. */
export function confirmPage(place: Place, asked: CliSignIn, email: string): Html {
  const other = asked.sameAddress ? '' : ' – <strong>not the address that you are at</strong>'
  return answer(`<p>Compare: your terminal must show this very code.</p><p class="code">${escaped(asked.userCode)}</p>
<dl><dt>Machine, as it calls itself</dt><dd>${escaped(asked.name)}</dd>
<dt>It asks from</dt><dd>${escaped(asked.address)}${other}</dd>
<dt>Since</dt><dd>${escaped(moment(asked.askedAt))}</dd>
<dt>It would get</dt><dd>an access token for everything that you may do, for ${asked.token.days} days; you can take it back at any time</dd></dl>
<p class="said">Did somebody send you here, or tell you this code? Then say no: they would act as you.</p>
${form(place, `${choice(asked)}<button name="act" value="approve">Yes, this is my machine</button><button name="act" value="deny">No</button>`)}
${signedInAs(place, email)}`)
}

const moment = (at: string) => `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`

function choice({ organizations, organizationId }: CliSignIn): string {
  const [only, ...more] = organizations
  if (only && more.length === 0) {
    const { id, name, role } = only
    return `<p>In the organization <strong>${escaped(name)}</strong> (${role})<input type="hidden" name="organization" value="${escaped(id)}"></p>`
  }
  const rows = organizations.map(({ id, name, role }) => {
    const selected = id === organizationId ? ' selected' : ''
    return `<option value="${escaped(id)}"${selected}>${escaped(name)} (${role})</option>`
  })
  return `<label>In the organization <select name="organization">${rows.join('')}</select></label>`
}

/** The browser brings the code to the machine itself; a page that leads there needs no script, and works for any loopback address. */
export function approvedPage(redirect: string | null): Html {
  if (redirect === null)
    return answer('<p><strong>Done.</strong> Your terminal goes on in a moment. You can close this window.</p>')
  const to = escaped(redirect)
  return answer(
    `<p><strong>Almost done.</strong> <a href="${to}">Go on to your terminal</a> if that does not happen by itself.</p>`,
    200,
    `<meta http-equiv="refresh" content="0;url=${to}">`,
  )
}

export const deniedPage = (): Html =>
  answer('<p><strong>Refused.</strong> That machine gets nothing. You can close this window.</p>')

/**
 * No script at all; nobody frames it (clickjacking). A form goes back to us alone, with an Origin: browsers leave it out
 * where a page passes no referrer on at all.
 */
export const CLI_HEADERS = {
  'content-security-policy': `default-src 'none'; style-src ${sourceHash(STYLE)}; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
}
