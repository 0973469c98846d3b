import type { LimitKind } from '@slipway/contract/limits'
import type { Org, World } from '../../../../test-kit/world.ts'
import { NO_LIMITS } from '../../../src/core/limits/table.ts'
import { type NewLimits, setLimits } from '../../../src/core/operator/set-limits.ts'

/** A configuration with these limits for every organization. */
export const limited = (some: Partial<Record<LimitKind, number>>) => ({ limits: { ...NO_LIMITS, ...some } })

/** What the operator sets for one organization. */
export const giveLimits = ({ platform }: World, { id }: Pick<Org, 'id'>, wanted: NewLimits) =>
  setLimits(platform, id, wanted)

/** What the organization is shown of one limit. */
export async function shownLimit({ owner }: Org, kind: LimitKind) {
  const { body } = await owner.api('GET', '/api/limits')
  return body.limits.find((one: { kind: LimitKind }) => one.kind === kind)
}

export const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).sort()
