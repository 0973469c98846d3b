import type { Answered } from '../../drivers/cloud-forward/passage.ts'
import { Refusal } from '../../errors.ts'

/** What the caller may do was decided here: where the cloud refuses one of these, it is the link that it refuses. */
const OF_CREDENTIALS = new Set([
  'permission_denied',
  'project_restricted',
  'link_required',
  'session_required',
  'token_required',
])

/**
 * What the cloud refuses to the link of an organization, and not to the caller who happened to ask: told as that, with what can be done
 * about it. Null: it is no such answer, and goes back as it came.
 */
export function refusedLink(answer: Answered): Refusal | null {
  const { status } = answer
  if (status !== 401 && status !== 403 && status !== 429) return null
  if (status === 401) return unlinked('The hosted cloud does not take the credential of this organization any more.')
  const { code, error, requires } = saidIn(answer)
  if (status === 429) return tooMuch(answer, error)
  if (code === undefined || !OF_CREDENTIALS.has(code)) return null
  const what = requires === undefined ? 'this' : `what takes the permission ${requires}`
  return new Refusal(
    'cloud_unreachable',
    `The link of this organization is not good for ${what} at the hosted cloud.`,
    {
      hint: 'Whoever approved it may do less there by now, or it is from before it could be used for this: link the organization anew.',
    },
  )
}

export const unlinked = (sentence: string) =>
  new Refusal('cloud_unreachable', sentence, { hint: 'Link the organization to the cloud anew.' })

function tooMuch({ headers }: Answered, said: string | undefined): Refusal {
  const seconds = Number(headers['retry-after'])
  const retryAfter = Number.isInteger(seconds) && seconds > 0 ? Math.min(seconds, 600) : 10
  const why = said === undefined ? '' : ` It says: ${said}`
  return new Refusal(
    'rate_limited',
    `The hosted cloud takes no more calls by the link of this organization for now.${why}`,
    {
      retryAfter,
      hint: `Everybody here who works with deployments in the cloud shares the link: wait ${retryAfter} seconds, and close streams that nobody looks at. Whoever runs the cloud sets what a link may do.`,
    },
  )
}

type Said = { code?: string; error?: string; requires?: string }

/** Its words are shown, so they are one line of a bounded length. */
function saidIn(answer: Answered): Said {
  if (!('body' in answer)) return {}
  try {
    const { code, error, requires } = Object(JSON.parse(answer.body.toString('utf8'))) as Record<string, unknown>
    return { ...line('code', code), ...line('error', error), ...line('requires', requires) }
  } catch {
    return {}
  }
}

const line = (name: keyof Said, text: unknown): Said =>
  typeof text === 'string' && /^[^\p{Cc}\p{Zl}\p{Zp}]{1,300}$/u.test(text) ? { [name]: text } : {}
