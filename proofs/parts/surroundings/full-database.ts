import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from '../../../lab/run.ts'
import { openDatabase } from '../../../server/src/db/database.ts'
import { type PrivatePostgres, privatePostgres } from '../../../test-kit/private-postgres.ts'
import type { Site } from '../../../test-kit/site.ts'
import { type Bench, webApp } from '../faults/bench.ts'
import { onSite, type Story } from './story.ts'

const FULL_MS = 30_000
const ROOMY = '2g'

/** A PostgreSQL on a disk of its own, which ends where its data ends, and can be given room again. */
async function onItsOwnDisk(work: (postgres: PrivatePostgres, disk: Disk) => Promise<string[]>): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sw-pgdisk-'))
  await run(['mount', '-t', 'tmpfs', '-o', `size=${ROOMY}`, 'tmpfs', folder])
  // PostgreSQL runs as somebody else.
  chmodSync(folder, 0o755)
  const postgres = await privatePostgres({ below: folder })
  try {
    await postgres.start()
    return await work(postgres, diskAt(folder))
  } finally {
    await postgres.remove()
    await run(['umount', '--lazy', folder])
    rmSync(folder, { recursive: true, force: true })
  }
}

type Disk = ReturnType<typeof diskAt>
const diskAt = (folder: string) => {
  const resize = (size: string) => run(['mount', '-o', `remount,size=${size}`, folder])
  return {
    full: () => {
      const { blocks, bfree, bsize } = statfsSync(folder)
      return resize(String((blocks - bfree) * bsize))
    },
    roomy: () => resize(ROOMY),
  }
}

/** Asks and writes all the while; what is told must be an answer that a client can act on. */
async function meanwhile(site: Site, id: string): Promise<string[]> {
  const wrong: string[] = []
  const until = performance.now() + FULL_MS
  for (let n = 0; performance.now() < until; n++) {
    const written = await site.call('POST', '/api/projects', { name: `while-${n}` })
    const told = `${written.status} ${written.body?.code ?? ''}`.trim()
    if (!/^(201|503 database_unavailable|507 disk_full)$/.test(told)) wrong.push(`a write was answered ${written.text}`)
    const shown = await site.call('GET', `/api/deployments/${id}`)
    if (![200, 503, 507].includes(shown.status)) wrong.push(`a read was answered ${shown.status} ${shown.text}`)
    await sleep(1000)
  }
  return wrong.slice(0, 3)
}

/** PostgreSQL ends itself when it cannot write its log; an operator makes room and starts it. */
async function startedAgain(postgres: PrivatePostgres): Promise<void> {
  await postgres.stop('SIGQUIT')
  await postgres.start()
}

export const fullDatabaseStories: Story[] = [
  {
    name: 'the disk of PostgreSQL is full for half a minute, in the middle of a build',
    run: () =>
      onItsOwnDisk(async (postgres, disk) => {
        const { pool, close } = openDatabase({ url: postgres.url, connections: 4, onError: () => {} })
        const work = async ({ steady }: Bench, site: Site) => {
          const id = await site.deploy(steady, webApp(2, { bootMs: 3000 }))
          await disk.full()
          // More than the pages and the log that have their place already.
          await pool
            .query(`create table filler as select repeat('x', 1000) from generate_series(1, 200000)`)
            .catch(() => {})
          const wrong = await meanwhile(site, id)
          await disk.roomy()
          await startedAgain(postgres)
          const first = await site.ended(id, 240)
          const next = await site.ended(await site.deploy(steady, webApp(3)), 240)
          const words = [first, next].map(({ status, error }) => (status === 'ready' ? '' : JSON.stringify(error)))
          return [...wrong, ...words.filter((word) => word !== '')]
        }
        try {
          return await onSite({ name: 'pgfull', databaseUrl: postgres.url, pool }, work)
        } finally {
          await close()
        }
      }),
  },
]
