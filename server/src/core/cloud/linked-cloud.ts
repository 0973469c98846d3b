import { newId } from '../../db/ids.ts'
import type { BaseParts } from '../parts.ts'
import { ask, type ForwardParts } from './forward.ts'
import * as links from './link-store.ts'

type Parts = Pick<ForwardParts, 'db' | 'keys' | 'cloudPassage'> & Pick<BaseParts, 'config'>
type Asked = { method: 'GET' | 'POST'; path: string; body?: object }

/** The cloud may ask somebody else before it answers, for up to ten seconds. */
const FIRST_BYTE_MS = 15_000

/** The cloud that an organization is linked to, for other nouns that ask it something of their own: wiring hands it to them. */
export const linkedCloud = (parts: Parts) => ({
  async find(orgId: string) {
    const link = await links.findShown(parts.db, orgId)
    if (link === undefined) return null
    const { url, cloudOrgName: organization } = link
    const relays = link.relayState === 'following' && link.isFollowed
    const isAway = parts.cloudPassage.isAway(url, orgId)
    return { url, organization, isSet: url === parts.config.cloudUrl, isAway, relays }
  },

  /** Rejects as `ask` does. Answers of the cloud's own are answers, whatever their status. */
  async ask(orgId: string, { method, path, body }: Asked, signal: AbortSignal) {
    const link = (await links.find(parts.db, orgId)) ?? { url: null, credential: null }
    const headers = { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) }
    const call = { method, path, headers, body: body ? Buffer.from(JSON.stringify(body)) : null }
    const by = { orgId, requestId: newId('req') }
    const answer = await ask(parts, by, link, call, { signal, firstByteMs: FIRST_BYTE_MS })
    const seconds = Number(answer.headers['retry-after'] ?? Number.NaN)
    return {
      status: answer.status,
      body: 'body' in answer ? parsed(answer.body) : null,
      retryAfter: Number.isInteger(seconds) && seconds > 0 ? seconds : null,
    }
  },
})

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return null
  }
}
