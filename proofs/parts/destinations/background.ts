import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BackupDestination } from '@slipway/contract/backup-destinations'
import { until } from '../../../test-kit/until.ts'
import { type Ground, PATH } from './ground.ts'

/** The job comes by every minute. */
const SOON_MS = 150_000

/** One that breaks while nobody looks is found out by the daily check, and so is one that was mended. */
export async function daily({ site, root }: Ground): Promise<string[]> {
  const folder = join(root, 'daily')
  mkdirSync(folder)
  const { id } = await site.ask('POST', PATH, { kind: 'local', name: 'daily', endpoint: folder })
  await site.ask('POST', `${PATH}/${id}/preflight`)
  const show = () => site.ask<BackupDestination>('GET', `${PATH}/${id}`)
  const due = () =>
    site.database?.pool.query('update backup_destination set next_verify_at = now() where id = $1', [id])
  const comes = (wanted: (seen: BackupDestination) => boolean): Promise<boolean> =>
    until('it is noticed', SOON_MS, async () => wanted(await show()), { everyMs: 500 }).then(
      () => true,
      () => false,
    )
  renameSync(folder, `${folder}-aside`)
  writeFileSync(folder, 'a file where the folder was')
  await due()
  const broke = await comes((seen) => seen.brokenSince !== null && seen.lastVerifyError !== null)
  rmSync(folder)
  renameSync(`${folder}-aside`, folder)
  await due()
  const mended = await comes((seen) => seen.brokenSince === null && seen.lastVerifyError === null)
  return [...(broke ? [] : ['nobody noticed that it broke']), ...(mended ? [] : ['nobody noticed that it was mended'])]
}
