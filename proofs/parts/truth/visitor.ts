import type { Site } from '../../../test-kit/site.ts'

export type Seen = {
  asked: number
  /** What was not a 200, one word each. */
  failed: string[]
  /** Answers by their text. */
  answers: Map<string, number>
  /** The longest time between two good answers. */
  gapMs: number
}

const EVERY_MS = 100
const LEAST = 10

/** Asks a project through the edge all the time; `stop` asks once more and tells what was seen. */
export function visitor(site: Site, project: string): { stop(): Promise<Seen> } {
  const seen: Seen = { asked: 0, failed: [], answers: new Map(), gapMs: 0 }
  let good = performance.now()
  let stopped = false

  const ask = async () => {
    seen.asked++
    try {
      const { status, text } = await site.visit(project)
      if (status !== 200) return void seen.failed.push(String(status))
      seen.answers.set(text, (seen.answers.get(text) ?? 0) + 1)
      seen.gapMs = Math.max(seen.gapMs, performance.now() - good)
      good = performance.now()
    } catch (error) {
      seen.failed.push((error as Error).message)
    }
  }
  const going = (async () => {
    while (!stopped || seen.asked < LEAST) {
      const began = performance.now()
      await ask()
      await new Promise((done) => setTimeout(done, Math.max(0, EVERY_MS - (performance.now() - began))))
    }
  })()
  return {
    async stop() {
      stopped = true
      await going
      await ask()
      return seen
    },
  }
}
