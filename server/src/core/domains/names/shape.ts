import type { Domain } from '@slipway/contract/domains'
import type { Queryable } from '../../../db/database.ts'
import type { BaseParts } from '../../parts.ts'
import { shapeCertificate } from '../certificates/state.ts'
import * as certificates from '../certificates/store.ts'
import * as store from './store.ts'

/** How these names are shown, of whichever projects, with what is known of where they lead and of their certificates. */
export async function shapeOf(
  db: Queryable,
  { config }: Pick<BaseParts, 'config'>,
  rows: store.Named[],
): Promise<(row: store.Named) => Domain> {
  const projects = [...new Set(rows.map(({ projectId }) => projectId))]
  const live = await store.liveHosts(db, projects)
  const found = await certificates.ofHosts(db, projects, [...new Set(rows.map(({ host }) => host))])
  const byHost = new Map(found.map((one) => [one.host, one]))
  return (row) => {
    const certificate = byHost.get(row.host)
    const ofProject = live.get(row.projectId)
    const isLive = ofProject?.has(row.host) ?? false
    return {
      host: row.host,
      kind: row.kind,
      service: row.service,
      port: row.port === 0 ? null : row.port,
      targetPath: row.pathPrefix,
      live: isLive,
      https: row.hsts ? 'hsts' : row.redirect ? 'redirect' : 'offered',
      redirectTo: row.redirectTo ?? null,
      dns: certificate?.dns ?? null,
      certificate:
        config.acme === null || !certificate
          ? null
          : shapeCertificate(certificate, isLive ? 'live' : ofProject ? 'soon' : 'no_release'),
      createdAt: row.createdAt.toISOString(),
    }
  }
}
