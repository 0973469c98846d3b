import type { ServiceSpec } from '../../../drivers/runtime/rollout/spec.ts'
import type { BaseParts } from '../../parts.ts'
import { gaveWay, mixOf } from '../release/mix.ts'
import { ranOn } from '../rows/engine-of-release.ts'
import { type Release, releaseOf } from '../rows/release.ts'
import type { DeploymentRow } from '../rows/store.ts'

/** Of one service: what there was, what there is, and what there would be. Null: nothing of it. */
export type ServiceFates = {
  name: string
  ran: ServiceSpec | null
  runs: ServiceSpec | null
  ifKept: ServiceSpec | null
  ifRejected: ServiceSpec | null
}

export type Released = Pick<DeploymentRow, 'id' | 'release' | 'serverId' | 'engineId' | 'services'>

/** The release that a rejected one goes back to: the active one, if this engine runs it. */
export const beforeOf = <Row extends Released>(row: Released, active: Row | undefined): Row | undefined =>
  active?.serverId === row.serverId && ranOn(active, row.engineId) ? active : undefined

/** What is written down of those that came up, as the rollout found it. */
const cameUp = (row: Pick<Released, 'services'>) => (name: string) =>
  row.services.some((one) => one.name === name && one.status === 'healthy')

/** The releases between which somebody decides: the one that keeping makes, and the one that rejecting leaves. */
export function choicesOf(parts: Pick<BaseParts, 'keys'>, row: Released, active: Released | undefined) {
  const wanted = releaseOf(parts, row)
  const before = releaseOf(parts, beforeOf(row, active))
  return { wanted, before, kept: mixOf(wanted, before, cameUp(row)) }
}

/** Per service of either release, from those that keeping and rejecting bring about. */
export function fatesOf(parts: Pick<BaseParts, 'keys'>, row: Released, active: Released | undefined): ServiceFates[] {
  const { wanted, before, kept } = choicesOf(parts, row, active)
  const came = cameUp(row)
  const gone = gaveWay(wanted, before, came)
  const old = beforeOf(row, active)?.services ?? []
  const names = new Set([...row.services, ...old].map(({ name }) => name))
  return [...names].map((name) => {
    const ran = specIn(before, name)
    const stayed = ran !== null && gone.has(ran) ? null : ran
    const runs = came(name) ? specIn(wanted, name) : stayed
    return { name, ran, runs, ifKept: specIn(kept, name), ifRejected: ran }
  })
}

const specIn = ({ services }: Release, name: string) => services.find(({ service }) => service === name) ?? null
