import { setTimeout as sleep } from 'node:timers/promises'
import { labPart } from '../../../lab/ask.ts'
import { isOver } from '../../../test-kit/deployment.ts'
import { openSite, type Site } from '../../../test-kit/site.ts'
import { until } from '../../../test-kit/until.ts'
import { webApp } from '../faults/bench.ts'
import { engineBetween } from './engine-between.ts'
import { onSite, type Story } from './story.ts'

const CUT_MS = 45_000
const SLOW_MS = 120_000
const END_SECONDS = 420

type Between = Awaited<ReturnType<typeof engineBetween>>

async function between(work: (way: Between) => Promise<string[]>): Promise<string[]> {
  const way = await engineBetween(labPart('engine').socket)
  try {
    return await work(way)
  } finally {
    await way.close()
  }
}

const inRollout = (site: Site, id: string) =>
  until('the rollout begins', 120_000, async () => (await site.show(id)).status === 'deploying')

/** Whatever the engine does, the API answers, and about what is not over nobody says that it is. */
async function answersMeanwhile(site: Site, id: string, ms: number): Promise<string[]> {
  const end = performance.now() + ms
  while (performance.now() < end) {
    const began = performance.now()
    const { status } = await site.call('GET', `/api/deployments/${id}`)
    if (status !== 200 || performance.now() - began > 5000) return [`the API answered ${status} after too long`]
    await sleep(500)
  }
  return []
}

const ended = async (site: Site, id: string, wanted: string[]): Promise<string[]> => {
  const { status, error } = await site.until(id, isOver, END_SECONDS)
  return wanted.includes(status) ? [] : [`it is ${status}: ${JSON.stringify(error)}`]
}

const goneInRollout = (words: string, mode: 'silent' | 'refused'): Story => ({
  name: `the engine ${words} in the middle of a rollout, and comes back`,
  run: () =>
    between((way) =>
      onSite({ name: mode, env: { SLIPWAY_DOCKER_SOCKET: way.path } }, async ({ steady }, site) => {
        const id = await site.deploy(steady, webApp(2, { bootMs: 4000 }))
        await inRollout(site, id)
        way.become(mode)
        const wrong = await answersMeanwhile(site, id, CUT_MS)
        way.become('through')
        return [...wrong, ...(await ended(site, id, ['ready', 'failed']))]
      }),
    ),
})

export const engineStories: Story[] = [
  goneInRollout('falls silent', 'silent'),
  goneInRollout('refuses every connection', 'refused'),
  {
    name: 'the engine takes seconds for every answer, for minutes',
    run: () =>
      between((way) =>
        onSite({ name: 'slowly', env: { SLIPWAY_DOCKER_SOCKET: way.path } }, async ({ steady }, site) => {
          way.become('slow')
          const id = await site.deploy(steady, webApp(2))
          const wrong = await answersMeanwhile(site, id, SLOW_MS)
          way.become('through')
          return [...wrong, ...(await ended(site, id, ['ready', 'failed']))]
        }),
      ),
  },
  {
    name: 'one of two processes is cut off from the engine, but not from the database',
    run: () =>
      between((way) =>
        onSite({ name: 'halfcut' }, async ({ steady }, site) => {
          const cut = await site.start({ env: { SLIPWAY_DOCKER_SOCKET: way.path } })
          const [whole] = site.replicas
          // Only the one with the way between works at first.
          await whole?.stop()
          const id = await site.deploy(steady, webApp(2, { bootMs: 4000 }))
          await inRollout(site, id)
          way.become('silent')
          await site.start()
          const wrong = await ended(site, id, ['ready', 'failed'])
          way.become('through')
          await cut.stop()
          return wrong
        }),
      ),
  },
  {
    name: 'another instance on the same engine',
    run: () =>
      onSite({ name: 'both' }, async ({ steady }, site) => {
        const other = await openSite({ name: 'both2', slot: 3 })
        try {
          await other.start()
          const { status, text } = await other.call('POST', '/api/servers', { kind: 'local', name: 'here' })
          if (status >= 300) return text.includes('hint') ? [] : [`the second was refused without a hint: ${text}`]
          const project = await other.project('steady')
          const theirs = await other.ended(await other.deploy(project, webApp(7)))
          const ours = await site.ended(await site.deploy(steady, webApp(2)))
          const words = [theirs, ours].map(({ status, error }) => (status === 'ready' ? '' : JSON.stringify(error)))
          const seen = [await other.visit('steady'), await site.visit('steady')].map(({ text }) => text).join(', ')
          return [
            ...words.filter((word) => word !== ''),
            ...(seen === 'version 7, version 2' ? [] : [`visitors of the two see ${seen}`]),
          ]
        } finally {
          await other.close()
        }
      }),
  },
]
