import type { DomainCheck } from '@slipway/contract/domains'
import type { DnsChange } from '@slipway/contract/promotion'
import * as names from '../../domains/names/store.ts'
import * as promotions from '../promotion-store.ts'
import { type Promoting, perform } from './perform.ts'

/**
 * The project's own names are claimed there, and the cloud says what their records have to become. Nothing changes for visitors: a name
 * leads here until somebody changes its records.
 */
export const claimNames = (promoting: Promoting): Promise<DnsChange[]> => {
  const { parts, run, project } = promoting
  const path = `/api/projects/${project.id}/domains`
  return perform(
    promoting,
    'domains',
    async (ask) => {
      const own = (await names.ofProject(parts.db, project.id)).filter(({ kind }) => kind === 'custom')
      // A name that sends its visitors to another one comes after that one.
      own.sort((a, b) => Number(a.redirectTo !== null) - Number(b.redirectTo !== null))
      for (const one of own) await ask({ method: 'POST', path, json: wantedOf(one) })
      const changes: DnsChange[] = []
      for (const host of new Set(own.map((one) => one.host))) {
        const { body } = await ask({ method: 'POST', path: `${path}/check`, json: { host } })
        changes.push(...changesOf(body as DomainCheck))
      }
      return changes
    },
    { onEnd: (tx, changes) => promotions.setDns(tx, run.orgId, run.id, changes) },
  )
}

const wantedOf = ({ host, service, port, pathPrefix, redirect, hsts, redirectTo }: names.Named) => ({
  ...{ host, service, https: hsts ? 'hsts' : redirect ? 'redirect' : 'offered' },
  ...(port !== 0 && { port }),
  ...(pathPrefix !== null && { targetPath: pathPrefix }),
  ...(redirectTo && { redirectTo }),
})

/** Of a name that leads there already nothing is to be changed. */
function changesOf({ host, ok, wanted, found, txt }: DomainCheck): DnsChange[] {
  if (ok) return []
  const of = (addresses: string[], isV6: boolean) => addresses.filter((one) => one.includes(':') === isV6)
  const records = (['A', 'AAAA'] as const).map((type) => ({
    ...{ host, type },
    now: of(found.addresses, type === 'AAAA'),
    wanted: of(wanted, type === 'AAAA'),
  }))
  const needed = records.filter((one) => one.now.length + one.wanted.length > 0)
  const proof = { host: txt.name, type: 'TXT' as const, now: [], wanted: [txt.value] }
  return host.startsWith('*.') && !txt.found ? [...needed, proof] : needed
}
