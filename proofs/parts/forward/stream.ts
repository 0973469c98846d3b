import type { Site } from '../../../test-kit/site.ts'
import { size } from '../../ledger/sizes.ts'
import { firstGap, parsed, type ReadEvent, readStream } from '../event-reader.ts'
import { deployThere, type Ground, know, leadTo } from './ground.ts'

const LINES = size('SLIPWAY_FORWARD_LINES', 50_000)
const BREAKS = size('SLIPWAY_FORWARD_BREAKS', 200)

/** Follows a long build through the hop: the reader comes back again and again, and each side is killed once. */
export async function followBuild(ground: Ground): Promise<{ said: string; faults: string[] }> {
  const { cloud, own } = ground
  const dockerfile = `FROM busybox:1\nRUN n=0; while [ $n -lt ${LINES} ]; do echo line $n; n=$((n+1)); done\nRUN exit 4\n`
  const id = await deployThere(ground, 'long', dockerfile)
  await know(ground, id)
  const seen: ReadEvent[] = []
  let breaks = 0
  let kills = 0
  const deadline = performance.now() + 600_000
  for (let isOver = false; !isOver && performance.now() < deadline; ) {
    const some = await piece(own, id, seen.at(-1)?.seq ?? 0, breaks < BREAKS)
    seen.push(...some.events)
    isOver = some.isOver
    if (!isOver) breaks++
    if (kills === 0 && breaks === Math.floor(BREAKS / 3)) kills += await replace(own, 'all')
    if (kills === 1 && breaks === Math.floor((2 * BREAKS) / 3)) {
      kills += await replace(cloud, 'api')
      await leadTo(own, cloud.base())
    }
  }
  const direct = await readStream(cloud.base(), cloud.token, id)
  const faults = [
    ...(firstGap(seen) === undefined ? [] : [`a gap or a repeat at ${firstGap(seen)}`]),
    ...(JSON.stringify(seen) === JSON.stringify(direct) ? [] : [`${seen.length} events instead of ${direct.length}`]),
    ...(breaks >= BREAKS && kills === 2 ? [] : [`${breaks} breaks and ${kills} kills, then it was over`]),
  ]
  return {
    said: `${direct.length} events of a build of ${LINES} lines over ${breaks} breaks and ${kills} kills`,
    faults,
  }
}

/** Some of the stream, and then the reader leaves, unless it ends before. */
async function piece(site: Site, id: string, since: number, leaves: boolean) {
  const events: ReadEvent[] = []
  const left = new AbortController()
  const signal = AbortSignal.any([left.signal, AbortSignal.timeout(120_000)])
  const most = leaves ? Math.ceil(LINES / BREAKS / 2) : Number.POSITIVE_INFINITY
  let isOver = false
  try {
    const answer = await fetch(`${site.base()}/api/deployments/${id}/stream?since=${since}`, {
      headers: { authorization: `Bearer ${site.token}`, accept: 'text/event-stream' },
      signal,
    })
    if (answer.status === 204) return { events, isOver: true }
    if (!answer.ok || answer.body === null) throw new Error(`${answer.status} ${await answer.text()}`)
    let rest = ''
    for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + chunk).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) events.push(...parsed(block))
      if (events.length < most) continue
      // What else has arrived was not looked at: it has to come again.
      events.length = most
      left.abort()
    }
    isOver = events.length < most
  } catch {
    // A side that is gone, or our own leaving: asked again from what was seen.
    await new Promise((next) => setTimeout(next, left.signal.aborted ? 0 : 300))
  }
  return { events, isOver: isOver && !left.signal.aborted }
}

async function replace(site: Site, role: 'all' | 'api'): Promise<1> {
  await site.replicas.at(-1)?.stop('SIGKILL')
  await site.start({ role })
  return 1
}
