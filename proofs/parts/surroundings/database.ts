import { setTimeout as sleep } from 'node:timers/promises'
import type { TestDatabase } from '../../../test-kit/database.ts'
import { webApp } from '../faults/bench.ts'
import { onSite, type Story } from './story.ts'

const READ_ONLY_MS = 30_000

/** As after a failover to a replica that is not promoted yet: whoever connects may only read. */
async function readOnly({ pool, name }: TestDatabase, yes: boolean): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('set default_transaction_read_only = off')
    await client.query(`alter database ${name} set default_transaction_read_only = ${yes ? 'on' : 'off'}`)
    await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()',
      [name],
    )
  } finally {
    client.release(true)
  }
}

export const databaseStories: Story[] = [
  {
    name: 'the database takes no writes for half a minute, in the middle of a build',
    run: () =>
      onSite({ name: 'readonly' }, async ({ steady }, site) => {
        const { database } = site
        if (!database) return ['no database of its own']
        const id = await site.deploy(steady, webApp(2, { bootMs: 3000 }))
        await readOnly(database, true)
        const wrong: string[] = []
        const until = performance.now() + READ_ONLY_MS
        for (let n = 0; performance.now() < until; n++) {
          const written = await site.call('POST', '/api/projects', { name: `while-${n}` })
          if (![503, 201].includes(written.status)) wrong.push(`a write was answered ${written.status} ${written.text}`)
          const shown = await site.call('GET', `/api/deployments/${id}`)
          if (![200, 503].includes(shown.status)) wrong.push(`a read was answered ${shown.status} ${shown.text}`)
          await sleep(1000)
        }
        await readOnly(database, false)
        const { status, error } = await site.ended(id, 240)
        return [...wrong.slice(0, 3), ...(status === 'ready' ? [] : [`it is ${status}: ${JSON.stringify(error)}`])]
      }),
  },
]
