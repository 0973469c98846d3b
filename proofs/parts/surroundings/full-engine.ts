import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { endMachine, runInside, startMachine } from '../../../lab/machine.ts'
import { furnishEngine } from '../../../lab/parts/engine.ts'
import { run } from '../../../lab/run.ts'
import { tool, toolEnv } from '../../../lab/tools.ts'
import type { Site } from '../../../test-kit/site.ts'
import { until } from '../../../test-kit/until.ts'
import { type Bench, webApp } from '../faults/bench.ts'
import { onSite, type Story } from './story.ts'

const MACHINE = 'fulldisk'
const NUMBER = 5
const ROOMY = '6g'

type Disk = { full(): Promise<unknown>; roomy(): Promise<unknown> }

/** A machine whose engine keeps everything on a disk of its own, which can be made to end where its data ends. */
async function onItsOwnDisk(name: string, work: (bench: Bench, site: Site, disk: Disk) => Promise<string[]>) {
  const machine = await startMachine(MACHINE, NUMBER)
  try {
    // The story before had a machine at this address: what the host knows of it would lose packets for eight seconds.
    await run([tool('ip'), 'neigh', 'flush', 'to', machine.address], { env: toolEnv() })
    const data = join(machine.dir, 'data')
    mkdirSync(data, { recursive: true })
    await runInside(MACHINE, 'mount', '--no-mtab', '-t', 'tmpfs', '-o', `size=${ROOMY}`, 'tmpfs', data)
    const resize = (size: string) => runInside(MACHINE, 'mount', '--no-mtab', '-o', `remount,size=${size}`, data)
    const disk: Disk = {
      async full() {
        const used = await runInside(MACHINE, 'df', '--block-size=1', '--output=used', data)
        return resize(used.replace(/\D/g, ''))
      },
      roomy: () => resize(ROOMY),
    }
    const engine = await furnishEngine(machine)
    return await onSite({ name, engine }, (bench, site) => work(bench, site, disk))
  } finally {
    await endMachine(MACHINE)
  }
}

const untilStatus = (site: Site, id: string, status: string) =>
  until(`it is ${status}`, 120_000, async () => (await site.show(id)).status === status)

/** What was under way when the disk was full: it says so, or it came up; the next one does when there is room. */
const fillsUp = (name: string, during: 'building' | 'deploying'): Story => ({
  name: `the disk of the engine is full while a release is ${during}: it says so or comes up, and the next one does`,
  run: () =>
    onItsOwnDisk(name, async ({ steady }, site, disk) => {
      const id = await site.deploy(steady, webApp(2, { bootMs: 3000 }))
      await untilStatus(site, id, during)
      await disk.full()
      const seen = await site.ended(id, 300)
      const another = await site.ended(await site.deploy(steady, webApp(3)), 300)
      await disk.roomy()
      const next = await site.ended(await site.deploy(steady, webApp(4)), 300)
      const told = ({ status, error }: typeof seen) =>
        status === 'ready' || (status === 'failed' && error?.code === 'disk_full')
          ? []
          : [`on a full disk it is ${status}: ${JSON.stringify(error)}`]
      return [
        ...told(seen),
        ...told(another),
        ...(next.status === 'ready' ? [] : [`with room again: ${next.status} ${JSON.stringify(next.error)}`]),
      ]
    }),
})

export const fullEngineStories: Story[] = [fillsUp('fullbuild', 'building'), fillsUp('fullroll', 'deploying')]
