import { expect, test } from 'vitest'
import { type Org, startWorld, type World } from '../../../../test-kit/world.ts'
import { makeDeployment } from '../../deployments/made.ts'

const home = await startWorld()
const cloud = await startWorld({ mode: 'cloud' })
const [atHome, inCloud] = [await home.org(), await cloud.org()]
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const files = [{ path: 'index.html', sha256: EMPTY, size: 0 }]

/** A sealed upload of one empty file. */
async function uploaded({ owner }: Org, mode?: string): Promise<string> {
  const { body } = await owner.api('POST', '/api/projects/folder-sessions', { files, ...(mode && { mode }) })
  const at = `/api/projects/folder-sessions/${body.uploadSessionId}`
  if (body.missing.length > 0) {
    await owner.api('PUT', `${at}/blobs/${EMPTY}`, Buffer.alloc(0), { 'content-type': 'application/octet-stream' })
  }
  expect((await owner.api('POST', `${at}/seal`)).body).toMatchObject({ state: 'sealed', mode: mode ?? 'local' })
  return body.uploadSessionId
}
async function deploy(world: World, org: Org, more: object) {
  const { projectId } = await makeDeployment(world, org, { ended: new Date() })
  return org.owner.api('POST', '/api/deployments/build/access', { projectId, ...more })
}

test('in a cloud, a folder that was meant for a server of one’s own is not deployed, nor deployed again', async () => {
  const uploadSessionId = await uploaded(inCloud)
  const { id } = await makeDeployment(cloud, inCloud, { ended: new Date() })
  const source = JSON.stringify({ kind: 'upload', uploadSessionId })
  await cloud.platform.db.updateTable('deployment').set({ source }).where('id', '=', id).execute()
  for (const { status, body } of [
    await deploy(cloud, inCloud, { uploadSessionId }),
    await inCloud.owner.api('POST', `/api/deployments/${id}/redeploy`),
  ])
    expect([status, body.code]).toEqual([403, 'local_source_refused'])
})

test('a folder that was uploaded for the cloud is deployed there, and needs one', async () => {
  const [{ id: serverId }] = (await inCloud.owner.api('GET', '/api/servers')).body.data
  const uploadSessionId = await uploaded(inCloud, 'cloud')
  expect((await deploy(cloud, inCloud, { uploadSessionId, serverId })).status).toBe(201)
  const refused = await atHome.owner.api('POST', '/api/projects/folder-sessions', { files, mode: 'cloud' })
  expect([refused.status, refused.body.field]).toEqual([400, 'mode'])
})

test('a target that contradicts the server is refused', async () => {
  const over = (await atHome.owner.api('POST', '/api/servers', { kind: 'ssh', name: 'over', host: '192.0.2.9' })).body
  const image = 'busybox:1'
  const fields = async (more: object) => {
    const { status, body } = await deploy(home, atHome, { image, ...more })
    return [status, body.field]
  }
  expect(await fields({ deployTarget: 'local', serverId: over.id })).toEqual([400, 'deployTarget'])
  expect(await fields({ deployTarget: 'server' })).toEqual([400, 'serverId'])
  expect(await fields({ deployTarget: 'cloud' })).toEqual([400, 'deployTarget'])
  expect((await deploy(home, atHome, { image, deployTarget: 'server', serverId: over.id })).status).toBe(201)
})
