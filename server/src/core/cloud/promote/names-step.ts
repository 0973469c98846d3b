import type { DomainCheck } from '@slipway/contract/domains'
import type { DnsChange } from '@slipway/contract/promotion'
import { Refusal } from '../../../errors.ts'
import * as names from '../../domains/names/store.ts'
import * as promotions from '../promotion-store.ts'
import type { Ask } from './ask-cloud.ts'
import { type Promoting, perform } from './perform.ts'
import { isName, NAMES, replaceSent } from './sent.ts'

/**
 * The project's own names are claimed there, and the cloud says what their records have to become. Nothing changes for visitors: a name
 * leads here until somebody changes its records.
 */
export const claimNames = (promoting: Promoting): Promise<DnsChange[]> => {
  const { parts, run, project } = promoting
  const path = `/api/projects/${project.id}`
  return perform(
    promoting,
    'domains',
    async (ask) => {
      const own = (await names.ofProject(parts.db, project.id)).filter(({ kind }) => kind === 'custom')
      // A name that sends its visitors to another one comes after that one.
      own.sort((a, b) => Number(a.redirectTo !== null) - Number(b.redirectTo !== null))
      await replaceSent(promoting, isName, own.map(pathOf), (gone) => replaceNames(ask, path, own, gone))
      const changes: DnsChange[] = []
      for (const host of new Set(own.map((one) => one.host))) {
        const { body } = await ask({ method: 'POST', path: `${path}${NAMES}check`, json: { host } })
        changes.push(...changesOf(body as DomainCheck))
      }
      return changes
    },
    { onEnd: (tx, changes) => promotions.setDns(tx, run.orgId, run.id, changes) },
  )
}

/** What it is called there, below its project. */
const hostPath = (host: string) => `${NAMES}${encodeURIComponent(host)}`
const pathOf = ({ host, pathPrefix }: names.Named) =>
  `${hostPath(host)}?targetPath=${encodeURIComponent(pathPrefix ?? '/')}`

/** What is gone makes room first, but for paths of a name that stays: that one leads somewhere all the time. */
async function replaceNames(ask: Ask, path: string, own: names.Named[], gone: string[]): Promise<void> {
  const staying = new Set(own.map(({ host }) => hostPath(host)))
  const stays = (place: string) => staying.has(place.slice(0, place.indexOf('?')))
  const remove = async (place: string) => void (await ask({ method: 'DELETE', path: path + place, expects: [404] }))
  for (const place of gone) if (!stays(place)) await remove(place)
  for (const one of own)
    await ask({ method: 'POST', path: `${path}/domains`, json: wantedOf(one) }).catch((error) => {
      throw error instanceof Refusal && error.code !== 'cloud_unreachable' ? refused(error) : error
    })
  for (const place of gone) if (stays(place)) await remove(place)
}

/** Its hint is for whoever adds a name there: here it is added by the next promotion. */
const refused = ({ code, message, details }: Refusal) =>
  new Refusal(code, message, {
    ...details,
    hint: `${details.hint ?? ''} Then promote again: that adds it there.`.trim(),
  })

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
