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
const LINK_TITLE = 'Link an instance to this cloud'
const said = (text: string | null) => (text === null ? '' : `<p class="said" role="alert">${escaped(text)}</p>`)
const answer = (body: string, status = 200, head = '', title = TITLE): Html => ({
  status,
  html: page(title, STYLE, body, head),
})
const form = ({ path, code }: Place, body: string) =>
  `<form method="post" action="${path}"><input type="hidden" name="code" value="${escaped(code)}">${body}</form>`

export const signInPage = (place: Place, problem: string | null = null, status = 200): Html =>
  answer(
    `<p>Sign in first. Then you see which machine or instance asks.</p>${said(problem)}${form(
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
    `${said(problem)}<form method="post" action="/device"><label>The code that your terminal or your instance shows
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
  if (asked.instance !== null) return linkPage(place, asked, asked.instance, email)
  return answer(`<p>Compare: your terminal must show this very code.</p><p class="code">${escaped(asked.userCode)}</p>
<dl><dt>Machine, as it calls itself</dt><dd>${escaped(asked.name)}</dd>
${whence(asked)}
<dt>It would get</dt><dd>an access token for everything that you may do, for ${asked.token.days} days; you can take it back at any time</dd></dl>
<p class="said">Did somebody send you here, or tell you this code? Then say no: they would act as you.</p>
${form(place, `${choice(asked)}<button name="act" value="approve">Yes, this is my machine</button><button name="act" value="deny">No</button>`)}
${signedInAs(place, email)}`)
}

const whence = ({ sameAddress, address, askedAt }: CliSignIn) => {
  const other = sameAddress ? '' : ' – <strong>not the address that you are at</strong>'
  return `<dt>It asks from</dt><dd>${escaped(address)}${other}</dd>
<dt>Since</dt><dd>${escaped(moment(askedAt))}</dd>`
}

/** An instance is no machine of who reads this: it says what is given away, to whom, and that it stays so. */
function linkPage(
  place: Place,
  asked: CliSignIn,
  { id, name }: NonNullable<CliSignIn['instance']>,
  email: string,
): Html {
  const mayLink = asked.organizations.length > 0
  const yes = mayLink ? `${choice(asked)}<button name="act" value="approve">Yes, link this instance</button>` : NOBODY
  return answer(
    `<p><strong>An instance of Slipway asks to be linked</strong> to an organization of yours. This signs nobody in.</p>
<p>Compare: that instance must show this very code.</p><p class="code">${escaped(asked.userCode)}</p>
<dl><dt>Instance, as it calls itself</dt><dd>${escaped(name)} (${escaped(id)})</dd>
${whence(asked)}
<dt>It would be able to</dt><dd>see, deploy, change and delete all projects and deployments of the organization, their variables among them; see its
servers and its git host. Not: members, access tokens, the log, registries, backups.</dd>
<dt>For how long</dt><dd>until one of the two sides ends the link, or you leave the organization</dd></dl>
<p class="said">Did somebody send you here, or tell you this code? Then say no: your projects would be theirs.</p>
${form(place, `${yes}<button name="act" value="deny">No</button>`)}
${signedInAs(place, email)}`,
    200,
    '',
    LINK_TITLE,
  )
}

const NOBODY = `<p class="said">Only an owner or admin of an organization may link an instance to it, and you are neither in any.
Ask one of them to enter the code.</p>`

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
    return answer('<p><strong>Done.</strong> Whoever asked goes on in a moment. You can close this window.</p>')
  const to = escaped(redirect)
  return answer(
    `<p><strong>Almost done.</strong> <a href="${to}">Go on to your terminal</a> if that does not happen by itself.</p>`,
    200,
    `<meta http-equiv="refresh" content="0;url=${to}">`,
  )
}

export const deniedPage = (): Html =>
  answer('<p><strong>Refused.</strong> What asked gets nothing. You can close this window.</p>')

/**
 * No script at all; nobody frames it (clickjacking). A form goes back to us alone, with an Origin: browsers leave it out
 * where a page passes no referrer on at all.
 */
export const CLI_HEADERS = {
  'content-security-policy': `default-src 'none'; style-src ${sourceHash(STYLE)}; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
}
