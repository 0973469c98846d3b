import { setTimeout as pause } from 'node:timers/promises'
import { moveLogs } from '../../src/core/deployments/events/history/retention.ts'
import type { Platform } from '../../src/core/platform.ts'
import { openDatabase } from '../../src/db/database.ts'
import { diskArchive } from '../../src/drivers/archive/disk-archive.ts'

/** Moves logs in a process of its own, and stops at a moment to be killed. */
export type Moment = 'before' | 'after'

process.once('disconnect', () => process.exit(1))
const [moment] = process.argv.slice(2)
const { db } = openDatabase({ url: process.env.SLIPWAY_TEST_DATABASE ?? '', connections: 2, onError: () => {} })
const disk = diskArchive(`${process.env.SLIPWAY_TEST_DATA}/logs`)
const archive = {
  ...disk,
  async put(key: string, bytes: Uint8Array) {
    if (moment === 'after') await disk.put(key, bytes)
    process.send?.('here')
    await pause(600_000)
  },
}
const config = { logs: { moveAfterMs: 0, keepMs: 3600_000 } } as Platform['config']
await moveLogs({ db, archive, config })
