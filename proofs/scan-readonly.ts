import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MigrationStack } from '@slipway/contract/migration-shape'
import { labPart } from '../lab/ask.ts'
import { clearHandmade, makeHandmade } from '../lab/handmade/make.ts'
import { differing, printOf } from '../lab/handmade/print.ts'
import { openSite } from '../test-kit/site.ts'
import { until } from '../test-kit/until.ts'
import { classify, unlike } from './parts/migration/classify.ts'
import { ownDoing, watchEvents } from './parts/migration/events.ts'

export const claim =
  'a scan finds what runs on a hand-made server and why it could not be adopted, and leaves everything there as it was'
export const kind = 'story'
export const quick = false

const HOST = 'host2'
/** Started again and again by the engine itself. */
const RESTLESS = ['looping']
const SECRETS = ['hunter2-blog', 'sk_live_blog_123', 'p@ss', 'BEGIN KEY', 'swarm-secret-content', 'shop-key-4711']
const LEAST_CONTAINERS = 60

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const site = await openSite({ name: 'scan', env: { SLIPWAY_EDGE_HTTP_PORT: '80', SLIPWAY_EDGE_HTTPS_PORT: '443' } })
  const host = await makeHandmade(HOST)
  const wrong: string[] = []
  const note = (what: string, found: string[]) => {
    console.log(`  ${found.length === 0 ? 'right' : 'WRONG'}  ${what}`)
    for (const each of found.slice(0, 20)) console.log(`         ${each}`)
    wrong.push(...found)
  }
  try {
    await site.start()
    const serverId = await site.addHost(HOST)
    const count = (await host.docker('ps', '-aq')).trim().split('\n').length
    if (count < LEAST_CONTAINERS) wrong.push(`only ${count} containers could be made`)
    const before = await printOf(host, RESTLESS)
    const { events, stop } = await watchEvents(labPart(HOST).socket)
    const times: number[] = []
    let stack: MigrationStack | undefined
    for (const sizes of [false, true, false]) {
      const begin = performance.now()
      const answer = await site.call<{ stack: MigrationStack }>('POST', '/api/migration/scan', { serverId, sizes })
      times.push((performance.now() - begin) / 1000)
      if (answer.status !== 200) throw new Error(answer.text)
      note(
        'no value of a variable in the answer',
        SECRETS.filter((secret) => answer.text.includes(secret)),
      )
      stack ??= answer.body.stack
    }
    // Its own doing is told, so that silence means something.
    await until('the engine tells of its own doing', 60_000, async () => events.length > 0, { everyMs: 300 })
    stop()
    const after = await printOf(host, RESTLESS)
    const expected = JSON.parse(readFileSync(join(import.meta.dirname, 'parts/migration/expected.json'), 'utf8'))
    note('everything is found and classified as expected', unlike(stack && classify(stack), expected))
    note(`${before.size} prints are equal before and after`, differing(before, after))
    const ours = events.filter((event) => !ownDoing(event, RESTLESS))
    note(
      `the engine told of nothing but its own doing (${events.length} events)`,
      ours.map(({ Type, Action }) => `${Type} ${Action}`),
    )
    const stacks = stack?.composeStacks.length ?? 0
    const slowest = Math.max(...times).toFixed(1)
    const figure = `${count} containers in ${stacks} stacks and by themselves found as expected; ${before.size} inspections, files and volumes equal after ${times.length} scans of at most ${slowest} s; ${wrong.length} faults`
    return { ok: wrong.length === 0, figure }
  } finally {
    await clearHandmade(host)
    await site.close()
  }
}
