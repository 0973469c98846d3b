import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { labPart } from '../../../lab/ask.ts'
import { run } from '../../../lab/run.ts'
import { openSite } from '../../../test-kit/site.ts'
import { badHosts } from './bad-hosts.ts'
import { buckets } from './buckets.ts'
import { clearHome } from './leftovers.ts'

export const PATH = '/api/backup-destinations'

/** An instance, everything that a destination can be in the lab, and what can go wrong with it. */
export async function openGround() {
  const root = mkdtempSync(join(tmpdir(), 'slipway-destinations-'))
  const env = {
    BACKUP_ALLOW_LOCAL_DESTINATION: 'true',
    BACKUP_LOCAL_ROOT: join(root, 'local'),
    // The lab's machines see the same disk.
    BACKUP_SERVER_ROOT: join(root, 'servers'),
  }
  mkdirSync(env.BACKUP_LOCAL_ROOT)
  const site = await openSite({ name: 'destinations', env })
  const s3 = buckets()
  const bad = await badHosts(s3.s3.endpoint)
  const sftp = labPart('sftp')
  const mounted: string[] = []
  const ending: (() => Promise<unknown>)[] = []
  const server = await site.start()
  return {
    site,
    s3,
    bad,
    root: env.BACKUP_LOCAL_ROOT,
    aside: root,
    sftp,
    host1: labPart('host1'),
    /** The process that is asked unless a case wants another one. */
    url: server.url,
    key: (file: string) => readFileSync(file, 'utf8'),
    /** A file system of its own below the root, such as a full one. */
    async mount(name: string, options: string): Promise<string> {
      const folder = join(env.BACKUP_LOCAL_ROOT, name)
      mkdirSync(folder)
      await run(['mount', '-t', 'tmpfs', '-o', options, 'tmpfs', folder])
      mounted.push(folder)
      return folder
    },
    remount: (folder: string, options: string) => run(['mount', '-o', `remount,${options}`, folder]),
    /** Done when the proof ends. */
    atEnd: (work: () => Promise<unknown>) => void ending.push(work),
    async close() {
      for (const work of ending) await work().catch((error) => console.log(`  ${error}`))
      for (const folder of mounted) await run(['umount', '-l', folder]).catch(() => {})
      clearHome(sftp.home)
      bad.close()
      await s3.close().catch((error) => console.log(`  buckets stay: ${error}`))
      await site.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}
export type Ground = Awaited<ReturnType<typeof openGround>>
