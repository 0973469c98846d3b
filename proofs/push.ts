import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startGitHost } from '../lab/githost/start.ts'
import type { TestDatabase } from '../test-kit/database.ts'
import { openSite } from '../test-kit/site.ts'
import { size } from './ledger/sizes.ts'
import { connect } from './parts/push/connect.ts'
import { startFront } from './parts/push/front.ts'
import { deployForReal } from './parts/push/real.ts'
import { storm } from './parts/push/storm.ts'

export const claim =
  'every push ends deployed, whatever becomes of its delivery, of a process and of the host; none twice'
export const kind = 'story'
export const quick = false

const PUSHES = size('SLIPWAY_PUSH_PUSHES', 10_000)
const REPOSITORIES = size('SLIPWAY_PUSH_REPOSITORIES', 50)
const REAL = size('SLIPWAY_PUSH_REAL', 20)
const isPartial = PUSHES < 10_000 || REPOSITORIES < 50 || REAL < 20

export async function prove(): Promise<{ ok: boolean; figure: string; partial?: true }> {
  const host = await startGitHost({ dir: mkdtempSync(join(tmpdir(), 'sw-push-')) })
  const env = {
    SLIPWAY_GITHOST_URL: host.url,
    SLIPWAY_GIT_CA_FILE: host.caFile,
    SLIPWAY_PUBLIC_URL: 'https://push.example.com',
  }
  const site = await openSite({ name: 'push', env })
  let secret = ''
  const living = () => site.replicas.filter(({ child }) => child.exitCode === null && child.signalCode === null)
  const front = await startFront(
    () => living().map(({ url }) => url),
    () => secret,
  )
  try {
    host.do.user({ login: 'ada' })
    host.do.org({ login: 'acme', members: { ada: 'admin' } })
    host.do.limits({ primary: 5000, secondary: true })
    await site.start()
    await site.start()
    const serverId = await site.addLocalServer()
    const connection = await connect(site.database as TestDatabase, {
      host,
      orgId: site.orgId,
      owner: 'acme',
      hookUrl: front.url,
    })
    secret = connection.secret
    const stage = { site, host, connection, serverId }
    const told = await storm({ ...stage, front, repositories: REPOSITORIES, pushes: PUSHES })
    const real = await deployForReal(stage, REAL)
    const faults = [...told.faults, ...real.faults]
    for (const fault of faults.slice(0, 20)) console.log(`  ${fault}`)
    return { ok: faults.length === 0, figure: `${told.figure}; ${real.figure}`, ...(isPartial && { partial: true }) }
  } finally {
    front.stop()
    await site.close()
    await host.stop()
  }
}
