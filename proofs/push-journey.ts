import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startGitHost } from '../lab/githost/start.ts'
import type { TestDatabase } from '../test-kit/database.ts'
import { openSite } from '../test-kit/site.ts'
import { connect } from './parts/push/connect.ts'
import { startFront } from './parts/push/front.ts'
import { journey } from './parts/push/journey.ts'

export const claim =
  'a git push is a running version at its address: told, decided, built, served, and green at the host; one that fails is red there, and the version before it serves'
export const kind = 'story'
export const quick = false

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const dir = mkdtempSync(join(tmpdir(), 'sw-journey-'))
  const host = await startGitHost({ dir: join(dir, 'host') })
  const logFile = join(dir, 'server.log')
  const env = {
    SLIPWAY_GITHOST_URL: host.url,
    SLIPWAY_GIT_CA_FILE: host.caFile,
    SLIPWAY_PUBLIC_URL: 'https://journey.example.com',
    SLIPWAY_LOG_LEVEL: 'trace',
  }
  const site = await openSite({ name: 'pushed', env, logFile })
  const front = await startFront(
    () => site.replicas.map(({ url }) => url),
    () => '',
  )
  try {
    host.do.user({ login: 'ada' })
    host.do.org({ login: 'acme', members: { ada: 'admin' } })
    await site.start()
    const serverId = await site.addLocalServer()
    const wanted = { host, orgId: site.orgId, owner: 'acme', hookUrl: front.url }
    const connection = await connect(site.database as TestDatabase, wanted)
    const { faults, figure } = await journey({ site, host, connection, serverId }, { dir, logFile })
    for (const fault of faults) console.log(`  WRONG ${fault}`)
    return { ok: faults.length === 0, figure }
  } finally {
    front.stop()
    await site.close()
    await host.stop()
  }
}
