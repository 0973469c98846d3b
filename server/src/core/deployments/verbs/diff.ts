import type { DeploymentDiff } from '@slipway/contract/diff'
import { notFound, Refusal } from '../../../errors.ts'
import type { Caller } from '../../access/caller.ts'
import type { BaseParts } from '../../parts.ts'
import { diffReleases } from '../release/diff.ts'
import { releaseOf } from '../rows/release.ts'
import { requireDeployment } from '../rows/require-deployment.ts'
import type { DeploymentRow } from '../rows/store.ts'
import * as store from '../rows/store.ts'

type Parts = Pick<BaseParts, 'db' | 'keys'>

export async function diffDeployments(
  parts: Parts,
  caller: Caller,
  id: string,
  other: string | undefined,
): Promise<DeploymentDiff> {
  const asked = await requireDeployment(parts.db, caller, id)
  const [from, to] = await bothOf(parts, caller, asked, other)
  for (const row of [from, to]) if (row.release === null) throw noRelease(row.number)
  // One that does not serve yet, or never did, has no routes to compare: its names are not gone.
  const [before, after] = [from, to].every(({ status }) => status === 'ready') ? [hostsOf(from), hostsOf(to)] : [[], []]
  return {
    from: { id: from.id, number: from.number },
    to: { id: to.id, number: to.number },
    services: diffReleases(releaseOf(parts, from), releaseOf(parts, to)),
    hosts: {
      added: after.filter((host) => !before.includes(host)),
      removed: before.filter((host) => !after.includes(host)),
    },
  }
}

/**
 * With the one that is named, with the one that serves, or with the one whose place it took. From the older to the newer: what is
 * on its way has not been replaced by what serves.
 */
async function bothOf(
  { db }: Parts,
  caller: Caller,
  asked: DeploymentRow,
  other: string | undefined,
): Promise<[DeploymentRow, DeploymentRow]> {
  if (other !== undefined) {
    const named = await requireDeployment(db, caller, other)
    if (named.projectId !== asked.projectId) throw ofAnotherProject()
    return [asked, named]
  }
  const id = asked.active ? asked.tookOver : (await store.findActive(db, asked.projectId))?.id
  const found = id ? await store.find(db, caller, id) : undefined
  if (!found) throw notFound('release to compare it with')
  return asked.number > found.number ? [found, asked] : [asked, found]
}

const hostsOf = ({ routes }: DeploymentRow) => [...new Set(routes.map(({ host }) => host))].sort()

const noRelease = (number: number) =>
  new Refusal('not_now', `#${number} never came to a release, so there is nothing to compare.`, {
    hint: 'Compare one that was rolled out.',
  })

const ofAnotherProject = () =>
  new Refusal('invalid_request', 'It is a deployment of another project.', {
    field: 'to',
    hint: 'Name one of the same project.',
  })
