import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { labPart } from '../../../lab/ask.ts'
import { dockerApi } from '../../../lab/docker.ts'
import { GOOD } from '../../../test-kit/sample-app.ts'
import { startSite } from '../../../test-kit/site-in-process.ts'

const site = await startSite('adopted')
const { api } = site
const { socket } = labPart('engine')
const tag = `adopt${process.pid}`
const volume = `${tag}_data`
const SECRET = 'only-sealed-9'
const engine = async (method: string, path: string, body?: object) => {
  const text = await dockerApi(socket, method, path, body)
  return text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text
}

/** Writes down each of its starts, and tells of them. */
const PROGRAM = `const fs = require('fs'); fs.appendFileSync('/data/starts', process.env.WHO + '\\n')
require('http').createServer((q, r) => r.end(fs.readFileSync('/data/starts'))).listen(8080)
process.on('SIGTERM', () => process.exit(0))`

async function makeOriginal(name: string, settings: { env?: string[]; restart?: string; binds?: string[] } = {}) {
  const { Id } = await engine('POST', `/containers/create?name=${name}`, {
    Image: 'node:24-slim',
    Cmd: ['node', '-e', PROGRAM],
    Env: ['WHO=the original', `PASSWORD=${SECRET}`, ...(settings.env ?? [])],
    ExposedPorts: { '8080/tcp': {} },
    HostConfig: {
      Binds: settings.binds ?? [`${volume}:/data`],
      RestartPolicy: { Name: settings.restart ?? 'unless-stopped' },
    },
  })
  await engine('POST', `/containers/${Id}/start`)
  return Id as string
}
const inspect = (id: string) => engine('GET', `/containers/${id}/json`)

let serverId: string
let original: string
beforeAll(async () => {
  const { body } = await api('GET', '/api/servers')
  serverId = body.data[0].id
  original = await makeOriginal(`${tag}-web`)
})
afterAll(async () => {
  const made = await engine(
    'GET',
    `/containers/json?all=1&filters=${encodeURIComponent(JSON.stringify({ name: [tag] }))}`,
  )
  for (const { Id } of made) await engine('DELETE', `/containers/${Id}?force=1&v=1`)
  for (const name of [volume, `${tag}_other`]) await engine('DELETE', `/volumes/${name}?force=1`).catch(() => {})
})

const adopt = (projectName: string, serviceNames: string[]) =>
  api('POST', '/api/migration/adopt', { serverId, projectName, serviceNames })
const deploy = async (projectId: string) => {
  const { status, body, text } = await api('POST', '/api/deployments/build/access', { projectId })
  expect(status, text).toBe(201)
  return site.ended(body.deployment_id)
}

describe('a service that is adopted', () => {
  let project: string

  test('is recorded with its data in place; nothing on the server is changed, and nothing deployed', async () => {
    const before = await inspect(original)
    const { status, body, text } = await adopt(`${tag}`, [`container/${tag}-web`])
    expect(status, text).toBe(200)
    project = body.project.id
    expect(body).toMatchObject({
      success: true,
      project: { name: tag, services: [`${tag}-web`] },
      reusedVolumes: [volume],
      warnings: expect.arrayContaining([{ service: `${tag}-web`, key: 'mem_limit', message: expect.any(String) }]),
    })
    expect(await inspect(original)).toEqual(before)
    expect((await api('GET', `/api/deployments?projectId=${project}`)).body.data).toEqual([])
    expect((await api('GET', `/api/projects/${project}/services`)).body.data).toMatchObject([{ name: `${tag}-web` }])
  })

  test('keeps its variables sealed: no answer, no audit entry and no row shows them', async () => {
    const rows = await site.world.platform.pool.query('select * from adopted_service where project_id = $1', [project])
    expect(rows.rows[0].plan).toMatch(/^v1\./)
    const audit = (await api('GET', '/api/audit')).text
    expect(audit).toContain('grant.create')
    expect(`${JSON.stringify(rows.rows)}${audit}`).not.toContain(SECRET)
  })

  test('is granted exactly what it has, and that is shown on its project', async () => {
    const { body } = await api('GET', `/api/projects/${project}/grants`)
    expect(body.data).toMatchObject([{ serverId, kind: 'volume', source: volume, writable: true, revokedAt: null }])
  })

  test('is not deployed while the original runs: it is named, and stays as it is', async () => {
    const before = await inspect(original)
    const seen = await deploy(project)
    expect([seen.status, seen.error?.code]).toEqual(['failed', 'originals_present'])
    expect(seen.error?.message).toContain(`the container ${tag}-web (running) has the volume ${volume}`)
    expect(seen.error?.hint).toContain(`docker stop ${tag}-web`)
    expect(await inspect(original)).toEqual(before)
  })

  test('is deployed on the same volume once the original was stopped, and names lead to it', async () => {
    await engine('POST', `/containers/${original}/stop?t=2`)
    const seen = await deploy(project)
    expect([seen.status, seen.error]).toEqual(['ready', null])
    // Not the project's gateway, which is its own too.
    const label = [`slipway.project=${project}`, `slipway.service=${tag}-web`]
    const filters = encodeURIComponent(JSON.stringify({ label }))
    const [container] = await engine('GET', `/containers/json?filters=${filters}`)
    const { Mounts, Image, Config } = await inspect(container.Id)
    const was = await inspect(original)
    expect(
      Mounts.map(({ Name, Destination }: { Name: string; Destination: string }) => `${Name} ${Destination}`),
    ).toEqual([`${volume} /data`])
    expect([Image, Config.Cmd]).toEqual([was.Image, was.Config.Cmd])
    expect(Config.Env).toEqual(expect.arrayContaining([`PASSWORD=${SECRET}`, 'WHO=the original']))
    await expect
      .poll(() => site.ask(`${tag}.adopted.test`), { timeout: 30_000 })
      .toEqual({ status: 200, text: 'the original\nthe original\n' })
    // Not ours, and so never ours to take away.
    expect((await engine('GET', `/volumes/${volume}`)).Labels ?? {}).toEqual({})
  })

  test('is refused to a second project that would write to the same volume', async () => {
    const { status, body } = await adopt(`${tag}-two`, [`container/${tag}-web`])
    expect([status, body.code]).toEqual([409, 'conflict'])
    expect((await api('GET', `/api/projects?name=${tag}-two`)).body.data).toEqual([])
  })

  test('is not deployed again once its grant was revoked; what runs goes on', async () => {
    const [grant] = (await api('GET', `/api/projects/${project}/grants`)).body.data
    expect((await api('DELETE', `/api/projects/${project}/grants/${grant.id}`)).status).toBe(200)
    expect((await api('DELETE', `/api/projects/${project}/grants/${grant.id}`)).status).toBe(404)
    const seen = await deploy(project)
    expect([seen.status, seen.error?.code]).toEqual(['failed', 'grant_missing'])
    expect(seen.error?.message).toContain(`may not use the volume ${volume}`)
    expect((await site.ask(`${tag}.adopted.test`)).status).toBe(200)
    expect((await api('GET', '/api/audit')).text).toContain('grant.revoke')
  })

  test('leaves its volume on the server when its project goes, whatever is said of volumes', async () => {
    const { body } = await api('GET', `/api/deployments?projectId=${project}`)
    const active = body.data.find(({ active }: { active: boolean }) => active)
    await api('DELETE', `/api/deployments/${active.id}?force=true`)
    await expect
      .poll(async () => (await api('DELETE', `/api/projects/${project}?volumes=delete`)).status, { timeout: 60_000 })
      .toBe(200)
    const filters = encodeURIComponent(JSON.stringify({ label: [`slipway.project=${project}`] }))
    await expect.poll(() => engine('GET', `/services?filters=${filters}`), { timeout: 60_000 }).toEqual([])
    expect((await engine('GET', `/volumes/${volume}`)).Name).toBe(volume)
  })
})

describe('a path of the server that was granted', () => {
  test('is used where it is, and refused once it leads elsewhere', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'slipway-adopted-'))
    mkdirSync(join(folder, 'data'))
    const id = await makeOriginal(`${tag}-path`, { binds: [`${join(folder, 'data')}:/data`] })
    const { body } = await adopt(`${tag}-path`, [`container/${tag}-path`])
    await engine('POST', `/containers/${id}/stop?t=2`)
    const first = await deploy(body.project.id)
    expect([first.status, first.error]).toEqual(['ready', null])
    renameSync(join(folder, 'data'), join(folder, 'aside'))
    symlinkSync('/etc', join(folder, 'data'))
    const second = await deploy(body.project.id)
    expect([second.status, second.error?.code]).toEqual(['failed', 'grant_missing'])
    expect(second.error?.message).toContain('leads elsewhere now')
    await api('DELETE', `/api/deployments/${first.id}?force=true`)
    rmSync(folder, { recursive: true })
  })
})

describe('what a choice may be', () => {
  test.each([
    [{ serverId: undefined }, 'serverId'],
    [{ projectName: '' }, 'projectName'],
    [{ projectName: undefined }, 'projectName'],
    [{ serviceNames: [] }, 'serviceNames'],
    [{ serviceNames: undefined }, 'serviceNames'],
    [{ serviceNames: ['container/none'] }, 'serviceNames'],
  ])('%j is refused, and the field is named', async (change, field) => {
    const answer = await api('POST', '/api/migration/adopt', {
      ...{ serverId, projectName: `${tag}-x`, serviceNames: [`container/${tag}-web`] },
      ...change,
    })
    expect([answer.status, answer.body.field]).toEqual([400, field])
  })

  test('a name that two services have is refused with the keys of both, and a key is not', async () => {
    const labels = (stack: string) => ({
      Labels: {
        'com.docker.compose.project': stack,
        'com.docker.compose.service': 'postgres',
        'com.docker.compose.version': '2.26.1',
      },
    })
    for (const stack of ['a', 'b'])
      await engine('POST', `/containers/create?name=${tag}-${stack}-postgres`, {
        Image: 'busybox:1',
        Cmd: ['sleep', '9'],
        ...labels(`${tag}${stack}`),
      })
    const refused = await adopt(`${tag}-both`, ['postgres'])
    expect([refused.status, refused.body.field]).toEqual([400, 'serviceNames'])
    expect(refused.body.error).toContain(`compose/${tag}a/postgres, compose/${tag}b/postgres`)
    const both = await adopt(`${tag}-both`, [`compose/${tag}a/postgres`, `compose/${tag}b/postgres`])
    expect(both.body.project.services).toEqual([`postgres-${tag}a`, `postgres-${tag}b`])
  })

  test('a service that may not be adopted is refused with its reasons, and nothing is recorded', async () => {
    await engine('POST', `/containers/create?name=${tag}-sock`, {
      Image: 'busybox:1',
      HostConfig: { Binds: ['/var/run/docker.sock:/sock'] },
    })
    const answer = await adopt(`${tag}-sock`, [`${tag}-sock`, `${tag}-a-postgres`])
    expect([answer.status, answer.body.field]).toEqual([400, 'serviceNames'])
    expect(answer.body.error).toContain('engine’s socket')
    expect((await api('GET', `/api/projects?name=${tag}-sock`)).body.data).toEqual([])
  })

  test('a name of a project that exists is refused', async () => {
    await api('POST', '/api/projects', { name: `${tag}-taken` })
    const answer = await adopt(`${tag}-taken`, [`${tag}-a-postgres`])
    expect([answer.status, answer.body.code, answer.body.field]).toEqual([409, 'name_taken', 'projectName'])
  })

  test('a server of another organization is not found, and an engine that cannot be asked is told', async () => {
    const other = await site.world.org('Other')
    const body = { serverId, projectName: 'x', serviceNames: ['x'] }
    expect((await other.owner.api('POST', '/api/migration/adopt', body)).status).toBe(404)
    const far = await api('POST', '/api/servers', {
      kind: 'ssh',
      name: 'far',
      host: labPart('host1').address,
      port: 1,
      hostKey: `ssh-ed25519 SHA256:${'A'.repeat(43)}`,
    })
    const answer = await api('POST', '/api/migration/adopt', { ...body, serverId: far.body.id })
    expect([answer.status, answer.body.code]).toEqual([502, 'server_unreachable'])
  })
})

describe('what was granted to a project', () => {
  /** Volumes and paths that containers of a project have, in the words of the engine. */
  const mountsOf = async (projectId: string): Promise<{ Name?: string; Source: string }[]> => {
    const filters = encodeURIComponent(JSON.stringify({ label: [`slipway.project=${projectId}`] }))
    const listed: { Id: string }[] = await engine('GET', `/containers/json?all=1&filters=${filters}`)
    return (await Promise.all(listed.map(({ Id }) => inspect(Id)))).flatMap(({ Mounts }) => Mounts)
  }

  const isForeign = ({ Name, Source }: { Name?: string; Source: string }) =>
    Name === volume || Source === '/srv' || Source.includes(`/${volume}/`)

  test('is reached by no setting of a service', async () => {
    const id = await site.project(`${tag}-settings`, { bakeSeconds: 0 })
    for (const mount of [`${volume}:/x`, `/var/lib/docker/volumes/${volume}/_data:/x`, '/srv:/x']) {
      const put = await api('PUT', `/api/projects/${id}/services/web`, {
        volumes: [mount],
        command: ['node', '-e', GOOD],
      })
      if (put.status !== 200) continue
      const { body } = await api('POST', '/api/deployments/build/access', {
        projectId: id,
        image: 'busybox:1',
        serverId,
      })
      await site.ended(body.deployment_id)
      const mounts = await mountsOf(id)
      expect(mounts.filter(isForeign)).toEqual([])
    }
  })

  test.each([
    ['the name of the volume', () => [`${volume}:/x`, `volumes: {${volume}: {external: true}}`]],
    ['another name for the volume', () => ['x:/x', `volumes: {x: {external: true, name: ${volume}}}`]],
    ['the folder of the volume', () => [`/var/lib/docker/volumes/${volume}/_data:/x`, '']],
    [
      'a volume that is that folder',
      () => [
        'x:/x',
        `volumes: {x: {driver_opts: {type: none, o: bind, device: /var/lib/docker/volumes/${volume}/_data}}}`,
      ],
    ],
    ['a path of the server', () => ['/srv:/x', '']],
  ])('is reached by no compose file, neither its own nor another project’s: %s', async (_, text) => {
    const [mount, volumes] = text()
    const compose = `services: {a: {image: busybox:1, command: [sleep, "60"], volumes: ["${mount}"]}}\n${volumes}\n`
    const name = `${tag}-${Math.random().toString(36).slice(2, 8)}`
    const adopted = await adopt(name, [`container/${tag}-web`])
    expect(adopted.status, adopted.text).toBe(200)
    const other = await site.project(`${name}-other`, { bakeSeconds: 0 })
    for (const id of [adopted.body.project.id, other]) {
      await site.ended(await site.start(id, { 'compose.yaml': compose }, { serverId, buildStrategy: 'compose' }))
      const mounts = await mountsOf(id)
      expect(mounts.filter(isForeign)).toEqual([])
      const { body } = await api('GET', `/api/deployments?projectId=${id}`)
      for (const { id: one, active } of body.data) if (active) await api('DELETE', `/api/deployments/${one}?force=true`)
      await expect
        .poll(async () => (await api('DELETE', `/api/projects/${id}?volumes=delete`)).status, { timeout: 60_000 })
        .toBe(200)
    }
  })
})
