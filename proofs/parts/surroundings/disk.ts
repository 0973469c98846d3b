import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../../../lab/run.ts'
import type { Site } from '../../../test-kit/site.ts'
import { webApp } from '../faults/bench.ts'
import { onSite, type Story } from './story.ts'

const MB = 1024 * 1024

/** A disk of its own for the data directory, small enough to be filled. */
async function smallDisk({ dataDir }: Site): Promise<void> {
  await run(['mount', '-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', dataDir])
}

const filler = ({ dataDir }: Site) => join(dataDir, 'filler')

/** To the last byte. */
function fill(site: Site): void {
  const { bavail, bsize } = statfsSync(site.dataDir)
  try {
    writeFileSync(filler(site), Buffer.alloc(bavail * bsize))
  } catch {
    // Full is what it is to be.
  }
}

const free = (site: Site) => rmSync(filler(site), { force: true })

/** The mount goes with its site: what is left of it has no place to be found in. */
const onSmallDisk = (name: string, work: Parameters<typeof onSite>[1]) =>
  onSite({ name, before: smallDisk }, async (bench, site) => {
    try {
      return await work(bench, site)
    } finally {
      free(site)
      await run(['umount', '--lazy', site.dataDir])
    }
  })

const large = (version: number) => ({ ...webApp(version), 'large.txt': 'x'.repeat(8 * MB) })

export const diskStories: Story[] = [
  {
    name: 'the data directory is full: an upload is refused with the reason, and taken once there is room',
    run: () =>
      onSmallDisk('fulldisk', async ({ steady }, site) => {
        fill(site)
        const said = await site.upload(large(2)).then(
          () => 'it was taken',
          (error: Error) => error.message,
        )
        const { status } = await site.call('GET', '/readyz')
        free(site)
        const seen = await site.ended(await site.deploy(steady, large(2)))
        return [
          ...(/507/.test(said) && /disk_full/.test(said) ? [] : [`an upload to a full disk: ${said.slice(0, 300)}`]),
          ...(status === 200 ? [] : [`the instance is not ready any more: ${status}`]),
          ...(seen.status === 'ready' ? [] : [`afterwards: ${seen.status} ${JSON.stringify(seen.error)}`]),
        ]
      }),
  },
  {
    name: 'the data directory fills up before a build: it fails with the reason, or comes up, and the next one does',
    run: () =>
      onSmallDisk('fullbuild', async ({ steady }, site) => {
        const { id: uploadSessionId } = await site.upload(large(2))
        fill(site)
        const body = { projectId: steady, uploadSessionId }
        const answer = await site.call('POST', '/api/deployments/build/access', body)
        const seen = answer.status < 300 ? await site.ended(answer.body.deployment_id) : undefined
        free(site)
        const next = await site.ended(await site.deploy(steady, webApp(3)))
        const told = seen === undefined ? answer.body?.code : seen.status === 'ready' ? 'disk_full' : seen.error?.code
        return [
          ...(told === 'disk_full' ? [] : [`told as ${told}: ${JSON.stringify(seen?.error ?? answer.text)}`]),
          ...(next.status === 'ready' ? [] : [`the next one: ${next.status} ${JSON.stringify(next.error)}`]),
        ]
      }),
  },
]
