import { Refusal } from '../../../errors.ts'

/** What is used of a delivery. It is signed, and still data from outside: every member is looked at. */
export type Said = {
  row: {
    event: string
    action: string | null
    repoId: number | null
    repository: string | null
    ref: string | null
    before: string | null
    after: string | null
    pusher: string | null
    message: string | null
  }
  repoId: number | null
  installationId: number | null
  /** A branch that moved. */
  branch: { repoId: number; ref: string } | null
  /** Of what needs no look at the host. */
  decided: ['ignored' | 'known', string] | null
  /** An installation or its repositories changed: only a reason to ask. */
  marks: boolean
  revokedBy: string | null
}

type Raw = Record<string, unknown>
const MARKING = new Set(['installation', 'installation_repositories', 'repository'])
const USED = new Set(['push', 'ping', 'github_app_authorization', ...MARKING])
const SHA = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/
const ZERO = /^0+$/
const MOST_MESSAGE = 8000

export function readDelivery({ event, body }: { event: string; body: Buffer }): Said {
  const raw = parse(body)
  const repository = objectIn(raw.repository)
  const isPush = event === 'push'
  const ref = isPush ? textIn(raw.ref, 300) : null
  const [repoId, installationId] = [numberIn(repository.id), numberIn(objectIn(raw.installation).id)]
  if (isPush && (repoId === null || ref === null)) throw unusable('a push without a repository or a ref')
  const action = textIn(raw.action, 100)
  const row = {
    ...{ event, action, repoId, ref },
    repository: textIn(repository.full_name, 250),
    before: isPush ? shaIn(raw.before) : null,
    after: isPush ? shaIn(raw.after) : null,
    pusher: textIn(objectIn(raw.pusher).name, 100),
    message: textIn(objectIn(raw.head_commit).message, MOST_MESSAGE),
  }
  const isRevoked = event === 'github_app_authorization' && action === 'revoked'
  return saidIn(row, installationId, isRevoked ? textIn(objectIn(raw.sender).login, 100) : null)
}

/** What follows from what was said, whoever has read it. */
export function saidIn(row: Said['row'], installationId: number | null, revokedBy: string | null = null): Said {
  const { event, repoId, ref } = row
  const isBranch = event === 'push' && ref?.startsWith('refs/heads/')
  return {
    ...{ row, repoId, installationId, revokedBy },
    branch: isBranch && repoId !== null && ref !== null ? { repoId, ref } : null,
    decided: decidedAlready(event, ref),
    marks: MARKING.has(event),
  }
}

function decidedAlready(event: string, ref: string | null): Said['decided'] {
  if (event === 'push') {
    if (ref?.startsWith('refs/heads/')) return null
    return ['ignored', ref?.startsWith('refs/pull/') ? 'pull requests are not deployed' : 'not a branch']
  }
  if (event === 'ping') return ['known', 'the hook works']
  return USED.has(event)
    ? ['known', 'noted; the host is asked what it means']
    : ['ignored', 'events of this kind are not used']
}

function parse(body: Buffer): Raw {
  try {
    const found: unknown = JSON.parse(body.toString('utf8'))
    if (typeof found === 'object' && found !== null && !Array.isArray(found)) return found as Raw
  } catch {}
  throw unusable('no JSON object')
}

const unusable = (what: string) =>
  new Refusal('invalid_request', `The delivery is signed, but is ${what}.`, {
    hint: 'Set the content type of the hook to application/json.',
  })

const objectIn = (value: unknown): Raw => (typeof value === 'object' && value !== null ? (value as Raw) : {})
const numberIn = (value: unknown) => (Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : null)
/** As the database can keep it. */
const textIn = (value: unknown, most: number) =>
  typeof value === 'string' ? value.slice(0, most).replaceAll('\0', '').toWellFormed() : null

function shaIn(value: unknown): string | null {
  if (typeof value !== 'string' || !SHA.test(value)) throw unusable('a push without commits')
  return ZERO.test(value) ? null : value
}
