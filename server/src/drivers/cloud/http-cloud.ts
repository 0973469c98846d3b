import { type Call, type CallOptions, type CloudAnswer, cloudCall } from './call.ts'
import { type Asked, type CloudDoor, cloudFailure, type Fetched } from './cloud.ts'

/** The cloud by its own API. What it answers is text of somebody else's: each field is looked at before it is used. */
export function httpCloud(options: CallOptions): CloudDoor {
  const call = cloudCall(options)
  const { url } = options
  return {
    async ask({ challenge, instance }) {
      const answer = await call('POST', '/api/auth/cli', { body: { challenge, name: instance.name, instance } })
      return askedIn(answer, url)
    },
    async fetchCredential(secrets) {
      return fetchedIn(await call('POST', '/api/auth/cli/token', { body: secrets }), url)
    },
    async takes(credential) {
      const { status } = await call('GET', '/api/me', { credential })
      if (status === 200 || status === 401) return status === 200
      throw strange(url, status)
    },
    endLink: (credential) => end(call, url, '/api/links/self', credential),
    endToken: (credential) => end(call, url, '/api/tokens/self', credential),
  }
}

/** One that it does not know any more has ended as well. */
async function end(call: Call, url: string, path: string, credential: string): Promise<void> {
  const { status } = await call('DELETE', path, { credential })
  if (status !== 200 && status !== 401) throw strange(url, status)
}

function askedIn({ status, body, retryAfter }: CloudAnswer, url: string): Asked {
  if (status === 429) {
    const when = retryAfter === null ? '' : ` for ${retryAfter} seconds`
    throw cloudFailure('cloud_unreachable', `${url} takes no more requests${when}.`)
  }
  const [requestId, userCode, verifyUrl] = [lineIn(body.requestId), lineIn(body.userCode), lineIn(body.verifyUrl)]
  // Whatever it says, a browser is sent to the cloud and nowhere else.
  const isThere = verifyUrl !== null && URL.parse(verifyUrl)?.origin === new URL(url).origin
  if (status !== 201 || requestId === null || userCode === null || !isThere)
    throw cloudFailure('no_cloud', `What answers at ${url} takes no links: it is no hosted cloud, or an older one.`)
  return {
    requestId,
    userCode,
    verifyUrl,
    expiresInSeconds: secondsIn(body.expiresIn, 600),
    intervalSeconds: secondsIn(body.interval, 5),
  }
}

const ENDED: Record<string, Fetched> = {
  authorization_pending: { kind: 'pending' },
  access_denied: { kind: 'denied' },
  expired_token: { kind: 'expired' },
  invalid_grant: { kind: 'spent' },
}

function fetchedIn({ status, body, retryAfter }: CloudAnswer, url: string): Fetched {
  const code = String(body.code)
  if (status === 429 || code === 'slow_down') return { kind: 'slow_down', seconds: retryAfter }
  const ended = Object.hasOwn(ENDED, code) ? ENDED[code] : undefined
  if (status === 400 && ended !== undefined) return ended
  const credential = lineIn(body.secret)
  if (status !== 200 || credential === null || !/^[\x21-\x7e]+$/.test(credential)) throw strange(url, status)
  return { kind: 'granted', credential, link: linkIn(body.link) }
}

function linkIn(said: unknown) {
  const body = Object(said) as Record<string, unknown>
  const [id, orgId, orgName] = [lineIn(body.id), lineIn(body.organizationId), lineIn(body.organizationName)]
  return id === null || orgId === null || orgName === null ? null : { id, orgId, orgName }
}

const strange = (url: string, status: number) =>
  cloudFailure('no_cloud', `What answers at ${url} does not speak as a cloud does (${status}).`)

/** Of a length that a row or a page can hold, and nothing that a terminal or a database would take for a command. */
const lineIn = (value: unknown): string | null =>
  typeof value === 'string' && /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]{1,300}$/u.test(value) ? value : null

const secondsIn = (value: unknown, otherwise: number): number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= 3600 ? value : otherwise
