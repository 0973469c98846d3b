import { readdirSync, readFileSync } from 'node:fs'
import type { Bench, Tried } from './bench.ts'

/** The owner builds with its secrets in hand for some seconds, submitted at the same moment as the thief. */
const OWNERS_BUILD = [
  'FROM busybox:1',
  'ARG WHEN',
  'RUN --mount=type=secret,id=TOKEN --mount=type=cache,id=shared,target=/c TOKEN=$(cat /run/secrets/TOKEN) sleep 2',
  'RUN exit 7\n',
].join('\n')

/** What came of a thief's build beside the owner's, and whether steps of both ever ran at the same time. */
export async function besideOwner(
  bench: Bench,
  attempt: () => Promise<Tried>,
): Promise<{ tried: Tried; wrong: string[] }> {
  const over = new AbortController()
  const watching = overlaps([bench.owner.id, bench.thief.id], over.signal)
  const service = { name: 'web', port: 8080, memoryMb: 32, build: { context: '.', args: { WHEN: String(Date.now()) } } }
  const owners = bench.build(bench.owner, { Dockerfile: OWNERS_BUILD }, { services: [service] })
  const [tried, { error }] = await Promise.all([attempt(), owners])
  over.abort()
  const { at, owner } = await watching
  return {
    tried,
    wrong: [
      ...(at > 0 ? ['steps of two projects ran at the same time'] : []),
      ...(owner && error?.code === 'build_failed' ? [] : [`the owner's own build did not run: ${error?.message}`]),
    ],
  }
}

/** How often both had processes, and whether the first had any. */
async function overlaps(
  [owner = '', thief = '']: string[],
  over: AbortSignal,
): Promise<{ at: number; owner: boolean }> {
  const seen = { at: 0, owner: false }
  while (!over.aborted) {
    const [first, second] = [processesOf(owner), processesOf(thief)]
    if (first > 0) seen.owner = true
    if (first > 0 && second > 0) seen.at++
    await new Promise((done) => setTimeout(done, 20))
  }
  return seen
}

/** Processes of a project's build steps: their cgroup is called after it. */
export function processesOf(project: string): number {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && groupOf(name).includes(`/slipway/${project}`))
    .length
}

function groupOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cgroup`, 'utf8')
  } catch {
    return ''
  }
}
