import { createHmac, randomUUID } from 'node:crypto'
import { commitOf, type Ground, REF, type Repository, restart } from './ground.ts'

export type Sent = { guid: string; repoId: number; after: string; at: number }
type Storm = { deliveries: number; perSecond: number; kills: number; seed: number }

const GIVE_UP_MS = 60_000

/**
 * Signed deliveries to the cloud's hook at a bounded rate, in the order of each repository, sent again with the same id until the cloud has
 * said 202; meanwhile both sides are killed and started anew at random moments.
 */
export async function storm(ground: Ground, { deliveries, perSecond, kills, seed }: Storm) {
  const ms = (deliveries / perSecond) * 1000
  const began = Date.now()
  const sending = Promise.all(
    ground.repositories.map((repository, n) =>
      push(ground, repository, {
        count: Math.floor((deliveries - n - 1) / ground.repositories.length) + 1,
        first: began + (n / perSecond) * 1000,
        everyMs: (ground.repositories.length / perSecond) * 1000,
      }),
    ),
  )
  const killed = await Promise.all([
    killer(random(seed), { kills, ms, began }, () => restart(ground.cloud, ground.port)),
    killer(random(seed + 1), { kills, ms, began }, () => restart(ground.own)),
    sending,
  ])
  return { sent: killed[2].flat(), cloudKills: killed[0], ownKills: killed[1], ms: Date.now() - began }
}

type Pushing = { count: number; first: number; everyMs: number }

async function push(ground: Ground, { repoId, full }: Repository, { count, first, everyMs }: Pushing): Promise<Sent[]> {
  const sent: Sent[] = []
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
  return sent
}

/** As a person would who redelivers at the host until it arrives. */
async function deliver({ port, hook }: Ground, guid: string, body: string): Promise<void> {
  const headers = {
    ...{ 'content-type': 'application/json', 'x-github-event': 'push', 'x-github-delivery': guid },
    'x-hub-signature-256': `sha256=${createHmac('sha256', hook.secret).update(body).digest('hex')}`,
  }
  const url = `http://127.0.0.1:${port}/api/githost/webhook?k=${hook.key}`
  for (const began = Date.now(); Date.now() - began < GIVE_UP_MS; await until(Date.now() + 100)) {
    const asked = fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(10_000) })
    const status = await asked.then(
      (answer) => answer.status,
      () => 0,
    )
    if (status === 202) return
    if (status >= 400 && status < 500) throw new Error(`the cloud does not take a delivery: ${status}`)
  }
  throw new Error('the cloud did not take a delivery in a minute')
}

/** Once in each part of the time, at a random moment of it. */
async function killer(
  next: () => number,
  { kills, ms, began }: { kills: number; ms: number; began: number },
  kill: () => Promise<void>,
): Promise<number> {
  for (let n = 0; n < kills; n++) {
    await until(began + ((n + 0.1 + 0.8 * next()) * ms) / kills)
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
