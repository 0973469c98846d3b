import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { until } from '../../../test-kit/until.ts'
import { PATIENCE_MS, projectOf, promote, SECRETS, startStage, uploaded } from './stage.ts'

const { home, cloud, line, ground, promotion, ended, endThere, written, countThere, at } = await startStage()

test('a project is promoted with its source, settings and names; the cloud is its target when it is ready there', async () => {
  const { here, there } = await ground('all')
  const id = await projectOf(here, 'all')
  const uploadSessionId = await uploaded(here)
  const begun = await promote(here, id, { uploadSessionId, message: 'all of it' })
  expect([begun.status, begun.body.project_id]).toEqual([201, id])
  const deployment = begun.body.deployment_id
  await at(here, id, 'await')
  expect((await here.owner.api('GET', `/api/projects/${id}`)).body.target).toBe('server')

  const project = (await there.owner.api('GET', `/api/projects/${id}`)).body
  expect(project).toMatchObject({ id, name: 'all', branch: 'main', gitCredential: { kind: 'token' } })
  expect(project.settings).toMatchObject({ bakeSeconds: 0, autoDeploy: false })
  const { variables } = (await there.owner.api('POST', `/api/projects/${id}/variables/reveal`)).body
  expect(variables).toMatchObject([
    { name: 'API_KEY', value: SECRETS[1], scope: 'build', service: null },
    { name: 'PASSWORD', value: SECRETS[0], scope: 'runtime', service: 'web' },
  ])
  const domains = (await there.owner.api('GET', `/api/projects/${id}/domains`)).body.data
  expect(domains.filter(({ kind }: { kind: string }) => kind === 'custom')).toMatchObject([
    { host: 'a.all.example.com', redirectTo: 'all.example.com' },
    { host: 'all.example.com', https: 'hsts', service: 'web' },
  ])
  const free = domains.filter(({ kind }: { kind: string }) => kind === 'free')
  expect(free, 'a name to look at it by before any record changes').toHaveLength(1)
  const made = (await there.owner.api('GET', `/api/deployments/${deployment}`)).body
  expect(made).toMatchObject({ projectId: id, trigger: 'promote', message: 'all of it', source: { kind: 'upload' } })
  const files = await cloud.platform.pool.query('select mode, sealed_at, files from folder_session')
  expect(files.rows).toMatchObject([{ mode: 'cloud', sealed_at: expect.any(Date) }])
  expect(files.rows[0].files).toHaveLength(4)

  expect((await here.owner.api('GET', `/api/projects/${id}`)).body.target, 'it has not ended there').toBe('server')
  await endThere(deployment)
  const end = await ended(here, id)
  expect(end).toMatchObject({ deploymentId: deployment, state: 'promoted', error: null })
  expect(end.dns).toEqual(
    ['a.all', 'all']
      .map((host) => ({ host: `${host}.example.com`, type: 'A', now: [], wanted: ['192.0.2.7'] }))
      .reverse(),
  )
  expect((await here.owner.api('GET', `/api/projects/${id}`)).body.target).toBe('cloud')
  expect((await here.owner.api('GET', `/api/deployments/${deployment}`)).body).toMatchObject({
    status: 'ready',
    active: true,
  })
  const { data } = (await here.owner.api('GET', '/api/audit?action=project.promote')).body
  expect(data[0]).toMatchObject({ target: id, detail: { deploymentId: deployment } })
})

test('nothing that was written down on the way holds a secret', async () => {
  const all = await written()
  for (const secret of SECRETS) expect(all.includes(secret), secret).toBe(false)
})

test('before the cloud knows the deployment it is answered here, and what is not known is told to be asked later', async () => {
  const { here } = await ground('early')
  const id = await projectOf(here, 'early')
  await line.being('cut', async () => {
    const { deployment_id: deployment } = (await promote(here, id, { image: 'busybox:1' })).body
    const of = (method: string, rest = '') => here.owner.api(method, `/api/deployments/${deployment}${rest}`)
    const shown = (await of('GET')).body
    expect(shown).toMatchObject({ id: deployment, projectId: id, status: 'queued', trigger: 'promote' })
    expect([shown.asOf === undefined, shown.actions.cancel.allowed, shown.actions.restart.allowed]).toEqual([
      false,
      true,
      false,
    ])
    const listed = (await here.owner.api('GET', `/api/deployments?projectId=${id}`)).body.data
    expect(listed).toMatchObject([{ id: deployment, status: 'queued' }])
    for (const [method, rest] of [
      ['GET', '/logs'],
      ['GET', '/stream'],
      ['POST', '/restart'],
      ['DELETE', ''],
    ] as const) {
      const { status, body, headers } = await of(method, rest)
      expect([status, body.code, headers['retry-after']], rest).toEqual([409, 'promotion_running', '3'])
    }
    const second = await promote(here, id, { image: 'busybox:1' })
    expect([second.status, second.body.code]).toEqual([409, 'promotion_running'])
    for (const path of [`/api/projects/${id}`, `/api/projects/${id}/promotion`])
      expect((await here.owner.api('DELETE', path)).status, path).toBe(409)
    // What the project does here is not held back.
    const server = (await here.owner.api('POST', '/api/servers', { kind: 'ssh', name: 'mine', host: '192.0.2.9' })).body
    const own = { deployTarget: 'server', serverId: server.id, image: 'busybox:1' }
    const local = (await promote(here, id, own)).body.deployment_id
    await until('a deployment here has run', PATIENCE_MS, async () => {
      const { rows } = await home.platform.pool.query('select status from run where id = $1', [local])
      return rows[0]?.status === 'succeeded'
    })
    expect((await promotion(here, id)).state).toBe('running')
    expect((await of('POST', '/cancel')).status).toBe(202)
  })
  expect(await ended(here, id)).toMatchObject({ state: 'cancelled' })
})

test('what the cloud refuses ends the promotion in its words, and nothing stays there', async () => {
  const { here, there } = await ground('refused')
  const id = await projectOf(here, 'refused')
  await there.owner.api('POST', '/api/projects', { name: 'refused' })
  const { deployment_id: deployment } = (await promote(here, id, { image: 'busybox:1' })).body
  const end = await ended(here, id)
  expect(end).toMatchObject({ state: 'failed', step: 'project', error: { code: 'name_taken', step: 'project' } })
  expect(end.error.message).toBe('The hosted cloud says: A project named "refused" exists already.')
  expect(await countThere('project', there)).toBe(1)
  const of = (method: string, rest = '') => here.owner.api(method, `/api/deployments/${deployment}${rest}`)
  expect((await of('GET')).body).toMatchObject({ status: 'failed', error: { code: 'name_taken' } })
  expect((await of('POST', '/restart')).body.code).toBe('not_now')
  expect((await of('DELETE')).body).toEqual({ success: true })
  expect((await of('GET')).status).toBe(404)
  expect((await here.owner.api('DELETE', `/api/projects/${id}`)).status).toBe(200)
})

test('what the cloud says of a secret that it was sent is told without it', async () => {
  const { here } = await ground('echo')
  const id = await projectOf(here, 'echo')
  const error = JSON.stringify({ error: `Not ${SECRETS[0]} nor ${SECRETS[1]}.`, code: 'new_code', hint: SECRETS[1] })
  const headers = { 'slipway-version': '0', 'content-length': String(Buffer.byteLength(error)) }
  const echo = (request: IncomingMessage, response: ServerResponse) => {
    if (request.method !== 'PUT' || !request.url?.endsWith('/variables')) return 'through' as const
    request.resume()
    response.writeHead(400, headers).end(error)
    return undefined
  }
  await line.being(echo, async () => {
    await promote(here, id, { image: 'busybox:1' })
    const end = await ended(here, id)
    expect(end).toMatchObject({ state: 'failed', error: { message: 'The hosted cloud says: Not … nor ….', hint: '…' } })
  })
  const all = await written()
  for (const secret of SECRETS) expect(all.includes(secret), secret).toBe(false)
})

test('a project there that did not come from here is never taken over', async () => {
  const { here, there } = await ground('foreign')
  const id = await projectOf(here, 'foreign')
  const { body } = await there.owner.api('POST', '/api/projects', { name: 'theirs' })
  await cloud.platform.pool.query('update project set id = $1 where id = $2', [id, body.id])
  await promote(here, id, { image: 'busybox:1' })
  expect(await ended(here, id)).toMatchObject({ state: 'failed', step: 'look', error: { code: 'conflict' } })
  expect((await there.owner.api('GET', `/api/projects/${id}`)).body).toMatchObject({ name: 'theirs', repository: null })
})

test('a deployment that fails there can be looked at, the project stays as it was, and can be given back or promoted anew', async () => {
  const { here, there } = await ground('broken')
  const id = await projectOf(here, 'broken')
  const first = (await promote(here, id, { image: 'busybox:1' })).body.deployment_id
  await endThere(first, 'failed')
  expect(await ended(here, id)).toMatchObject({
    state: 'failed',
    error: { code: 'exited', message: 'It ended with 3.' },
  })
  expect((await here.owner.api('GET', `/api/projects/${id}`)).body.target).toBe('server')
  expect((await here.owner.api('GET', `/api/deployments/${first}/logs`)).status).toBe(200)
  expect((await here.owner.api('DELETE', `/api/projects/${id}`)).status).toBe(409)

  await here.owner.api('DELETE', `/api/projects/${id}/variables/API_KEY`)
  const variables = [{ name: 'ONLY_THERE', value: 'x' }]
  await there.owner.api('PUT', `/api/projects/${id}/variables`, { variables })
  const second = (await promote(here, id, { image: 'busybox:2' })).body.deployment_id
  await endThere(second, 'failed')
  await ended(here, id)
  const { data } = (await there.owner.api('GET', `/api/projects/${id}/variables`)).body
  const names = data.map(({ name }: { name: string }) => name).sort()
  expect(names, 'what went here goes there; what was made there stays').toEqual(['ONLY_THERE', 'PASSWORD'])
  expect((await here.owner.api('DELETE', `/api/projects/${id}/promotion`)).body).toEqual({
    success: true,
    deletedThere: true,
  })
  expect(await countThere('project', there)).toBe(0)
  expect((await here.owner.api('GET', `/api/deployments/${second}`)).body).toMatchObject({ status: 'failed' })
  expect((await here.owner.api('DELETE', `/api/projects/${id}`)).status).toBe(200)
})

test('a project that was promoted is deployed there from then on, or here where that is said', async () => {
  const { here } = await ground('after')
  const id = await projectOf(here, 'after')
  const first = (await promote(here, id, { image: 'busybox:1' })).body.deployment_id
  await endThere(first)
  await ended(here, id)
  const server = (await here.owner.api('POST', '/api/servers', { kind: 'ssh', name: 'mine', host: '192.0.2.9' })).body
    .id
  const image = 'busybox:2'
  const deploy = (more: object = {}) =>
    here.owner.api('POST', '/api/deployments/build/access', { projectId: id, image, ...more })
  const local = await deploy({ deployTarget: 'server', serverId: server })
  const source = await home.platform.pool.query('select trigger from deployment where id = $1', [
    local.body.deployment_id,
  ])
  expect(source.rows).toEqual([{ trigger: 'manual' }])
  const second = await deploy()
  expect(second.status).toBe(201)
  await endThere(second.body.deployment_id, 'failed')
  expect(await ended(here, id)).toMatchObject({ state: 'failed' })
  expect((await here.owner.api('GET', `/api/projects/${id}`)).body.target).toBe('cloud')
  const giveBack = () => here.owner.api('DELETE', `/api/projects/${id}/promotion`)
  const refused = await giveBack()
  expect([refused.status, refused.body.code]).toEqual([409, 'conflict'])
  await cloud.platform.db.updateTable('deployment').set({ active: false }).where('id', '=', first).execute()
  expect((await giveBack()).body).toEqual({ success: true, deletedThere: true })
  expect((await here.owner.api('GET', `/api/projects/${id}`)).body.target).toBe('server')
  const shown = (await here.owner.api('GET', `/api/deployments/${first}`)).body
  expect([shown.status, shown.active, shown.actions.restart.allowed]).toEqual(['ready', false, false])
  expect((await giveBack()).status).toBe(404)
})

test('a folder that was uploaded for the cloud is promoted without saying so; adopted services, servers and previews are not', async () => {
  const { here } = await ground('folder')
  const { id } = (await here.owner.api('POST', '/api/projects', { name: 'folder' })).body
  const uploadSessionId = await uploaded(here, 'cloud')
  const { status, body } = await here.owner.api('POST', '/api/deployments/build/access', {
    projectId: id,
    uploadSessionId,
  })
  expect(status).toBe(201)
  expect((await promotion(here, id)).deploymentId).toBe(body.deployment_id)
  await here.owner.api('POST', `/api/deployments/${body.deployment_id}/cancel`)
  await ended(here, id)
  for (const more of [{ dryRun: true }, { serverId: 'srv_1' }]) {
    const refused = await promote(here, id, { image: 'busybox:1', ...more })
    expect([refused.status, refused.body.field]).toEqual([400, Object.keys(more)[0]])
  }
  const alone = await home.org('alone')
  const theirs = (await alone.owner.api('POST', '/api/projects', { name: 'x' })).body.id
  expect((await promote(alone, theirs, { image: 'busybox:1' })).body).toMatchObject({
    code: 'invalid_request',
    field: 'deployTarget',
  })
  const viewer = await home.tokenFor(here.owner, { scopes: ['deployment:write', 'project:read'] })
  const denied = await home.as(viewer)('POST', '/api/deployments/build/access', {
    projectId: id,
    image: 'x',
    deployTarget: 'cloud',
  })
  expect([denied.status, denied.body.requires]).toEqual([403, 'project:write'])
})
