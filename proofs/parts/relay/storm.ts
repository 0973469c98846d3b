import { createHmac, randomUUID } from 'node:crypto'
import { commitOf, type Ground, REF, type Repository, restart } from './ground.ts'

export type Sent = { guid: string; repoId: number; after: string; at: number }
type Storm = { deliveries: number; perSecond: number; kills: number; seed: number }

const GIVE_UP_MS = 180_000

/**
 * Signed deliveries to the cloud's hook at a bounded rate, in the order of each repository, sent again with the same id until the cloud has
 * said 202; meanwhile both sides are killed and started anew at random moments.
 */
export async function storm(ground: Ground, { deliveries, perSecond, kills, seed }: Storm) {
  const began = Date.now()
  const sent: Sent[] = []
  const over = new AbortController()
  const killing = (next: () => number, kill: () => Promise<void>) =>
    killer({ next, kills, deliveries, sent, signal: over.signal }, kill)
  const killed = Promise.all([
    killing(random(seed), () => restart(ground.cloud, ground.port)),
    killing(random(seed + 1), () => restart(ground.own)),
  ])
  const sending = ground.repositories.map((repository, n) =>
    push(ground, repository, sent, {
      count: Math.floor((deliveries - n - 1) / ground.repositories.length) + 1,
      first: began + (n / perSecond) * 1000,
      everyMs: (ground.repositories.length / perSecond) * 1000,
    }),
  )
  await Promise.all([...sending, killed]).finally(() => over.abort())
  const [cloudKills, ownKills] = await killed
  return { sent, cloudKills, ownKills, ms: Date.now() - began }
}

type Pushing = { count: number; first: number; everyMs: number }

async function push(ground: Ground, { repoId, full }: Repository, sent: Sent[], pushing: Pushing): Promise<void> {
  const { count, first, everyMs } = pushing
  for (let n = 0; n < count; n++) {
    await until(first + n * everyMs)
    const [guid, before, after] = [randomUUID(), commitOf(repoId, n), commitOf(repoId, n + 1)]
    const body = JSON.stringify({
      ...{ ref: REF, before, after, repository: { id: repoId, full_name: full }, pusher: { name: 'ada' } },
      ...{ head_commit: { message: `Change ${n}` }, installation: { id: ground.hook.installationId } },
    })
    await deliver(ground, guid, body)
    sent.push({ guid, repoId, after, at: Date.now() })
  }
}

/** As a person would who redelivers at the host until it arrives; not so often that a hundred of them hold up what is starting. */
async function deliver({ port, hook }: Ground, guid: string, body: string): Promise<void> {
  const headers = {
    ...{ 'content-type': 'application/json', 'x-github-event': 'push', 'x-github-delivery': guid },
    'x-hub-signature-256': `sha256=${createHmac('sha256', hook.secret).update(body).digest('hex')}`,
  }
  const url = `http://127.0.0.1:${port}/api/githost/webhook?k=${hook.key}`
  for (const began = Date.now(); Date.now() - began < GIVE_UP_MS; await until(Date.now() + 1000)) {
    const asked = fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(10_000) })
    const status = await asked.then(
      (answer) => answer.status,
      () => 0,
    )
    if (status === 202) return
    if (status >= 400 && status < 500) throw new Error(`the cloud does not take a delivery: ${status}`)
  }
  throw new Error('the cloud did not take a delivery in three minutes')
}

type Killing = { next: () => number; kills: number; deliveries: number; sent: Sent[]; signal: AbortSignal }

/** Once in each part of what is sent, at a random place of it: a machine that is slow to start again is not killed more often. */
async function killer(killing: Killing, kill: () => Promise<void>): Promise<number> {
  const { next, kills, deliveries, sent, signal } = killing
  for (let n = 0; n < kills; n++) {
    const place = ((n + 0.1 + 0.8 * next()) * deliveries) / kills
    while (sent.length < place && !signal.aborted) await until(Date.now() + 20)
    if (signal.aborted) return n
    await kill()
  }
  return kills
}

const until = (at: number) => new Promise<void>((done) => setTimeout(done, Math.max(0, at - Date.now())))

/** Mulberry32: the same moments in each run. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
