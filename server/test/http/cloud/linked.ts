import type { Deployment } from '@slipway/contract/deployment-shape'
import { type Org, startWorld, type World } from '../../../../test-kit/world.ts'
import type { Config } from '../../../src/config.ts'
import { insert as insertStub } from '../../../src/core/cloud/deployments-store.ts'
import { placeOf } from '../../../src/core/cloud/link-store.ts'
import { newId } from '../../../src/db/ids.ts'
import { makeDeployment } from '../../deployments/made.ts'

const LOOPBACK = { allowedNetworks: ['127.0.0.0/8'] }

/** Links an organization to whatever listens there, with a credential of that side. */
export async function link({ platform: { db, keys } }: World, orgId: string, url: string, credential: string) {
  const row = {
    orgId,
    url,
    linkId: newId('req'),
    cloudOrgId: newId('org'),
    cloudOrgName: 'There',
    linkedBy: newId('usr'),
  }
  await db
    .insertInto('cloudLink')
    .values({ ...row, credential: keys.seal(credential, placeOf(orgId)) })
    .execute()
}

/** A project here whose deployments are there. */
export async function cloudProject({ platform: { db } }: World, org: Org): Promise<string> {
  const { body } = await org.owner.api('POST', '/api/projects', { name: `cloud ${newId('req')}` })
  await db
    .updateTable('project')
    .set({ target: 'cloud', cloudProjectId: newId('prj') })
    .where('id', '=', body.id)
    .execute()
  return body.id
}

export const stub = ({ platform: { db } }: World, orgId: string, projectId: string, shown: Deployment) =>
  insertStub(db, { orgId, projectId, shown: [shown] })

/** What is shown of a deployment, where there is none to ask. */
export const shownAs = (id: string, more: Partial<Deployment> = {}): Deployment => ({
  ...{ id, projectId: newId('prj'), number: 1, status: 'building', decision: null, active: false, unknown: null },
  ...{ pinned: false, trigger: 'manual', source: { kind: 'git', branch: 'main' }, urls: [], services: [], steps: [] },
  timing: {
    ...{ createdAt: new Date().toISOString(), startedAt: null, builtAt: null, finishedAt: null },
    ...{ queuedMs: null, buildMs: null, deployMs: null },
  },
  ...{ waitingOn: null, error: null, message: null, createdBy: { kind: 'user', name: 'x', client: null }, actions: {} },
  ...more,
})

/** A home that stands alone, and may be linked to what listens on loopback. */
export const startHome = (more: Partial<Config> = {}) => startWorld({ ...LOOPBACK, ...more })

/** A hosted cloud that listens, and an instance with an organization that is linked to it. */
export async function linkedWorlds(home: Partial<Config> = {}) {
  const cloud = await startWorld({ mode: 'cloud' })
  const here = await startHome(home)
  const url = await cloud.app.listen({ port: 0, host: '127.0.0.1' })
  const [there, org] = [await cloud.org('There'), await here.org('Here')]
  const projectId = await cloudProject(here, org)
  await link(here, org.id, url, there.owner.token)
  /** One that is in the cloud, and known here. */
  const deploy = async (options: Parameters<typeof makeDeployment>[2] = {}) => {
    const made = await makeDeployment(cloud, there, options)
    const shown = (await there.owner.api('GET', `/api/deployments/${made.id}`)).body
    await stub(here, org.id, projectId, shown)
    return made
  }
  return { cloud, here, url, there, org, projectId, deploy }
}
