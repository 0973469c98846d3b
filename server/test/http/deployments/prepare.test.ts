import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Preparation } from '@slipway/contract/prepare'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readExample } from '../../../../test-kit/examples.ts'
import { startWorld } from '../../../../test-kit/world.ts'
import { localFolders } from '../../../src/drivers/folder/local-folders.ts'
import { announce, file, put, upload } from '../folder-sessions/folder.ts'

const world = await startWorld()
const { owner } = await world.org()
const { api } = owner
const PREPARE = '/api/deployments/prepare'
const prepare = (body: object, as = api) => as('POST', PREPARE, body)

const TABLES = ['deployment', 'project', 'audit', 'service', 'folder_session']
async function rows(): Promise<number[]> {
  const counted = TABLES.map((table) => world.platform.pool.query(`select count(*)::int as n from ${table}`))
  return (await Promise.all(counted)).map((result) => result.rows[0].n)
}

describe('200', () => {
  test('tells what an upload is, why, and how it would be built; creates nothing', async () => {
    const uploadSessionId = await upload(api, readExample('nextjs').files)
    const before = await rows()
    const { status, body } = await prepare({ source: 'local', uploadSessionId })
    expect([status, await rows()]).toEqual([200, before])
    expect(Preparation.parse(body)).toMatchObject({
      success: true,
      source: 'local',
      strategy: 'server',
      framework: 'nextjs',
      packageManager: 'npm',
      language: 'javascript',
      installCommand: 'npm ci',
      buildCommand: 'npm run build',
      startCommand: 'node server.js',
      outputDirectory: null,
      port: 3000,
      services: [],
      warnings: [],
      confidence: 'high',
    })
    expect(body.because).toContain('package.json has next 16')
    expect(body.dockerfile).toContain('FROM node:24-slim AS build')
  })

  test('names each part of a monorepo, with a Dockerfile of its own; or only the one that is asked for', async () => {
    const uploadSessionId = await upload(api, readExample('monorepo-npm').files)
    const { body } = await prepare({ source: 'local', uploadSessionId })
    expect([body.strategy, body.dockerfile]).toEqual(['monorepo', null])
    expect(
      body.services.map(({ name, rootDirectory }: { name: string; rootDirectory: string }) => [name, rootDirectory]),
    ).toEqual([
      ['api', 'apps/api'],
      ['web', 'apps/web'],
    ])
    const one = await prepare({ source: 'local', uploadSessionId, rootDirectory: 'apps/web' })
    expect(one.body).toMatchObject({ strategy: 'static', framework: 'vite', dockerfile: body.services[1].dockerfile })
  })

  test('names the services of a compose file', async () => {
    const uploadSessionId = await upload(api, readExample('compose-web-worker').files)
    const { body } = await prepare({ source: 'local', uploadSessionId })
    expect([body.strategy, body.services.map(({ name }: { name: string }) => name)]).toEqual([
      'compose',
      ['web', 'worker'],
    ])
  })
})

describe('400', () => {
  test.for<[what: string, body: object, code: string, field?: string]>([
    ['no source', {}, 'invalid_request', 'source'],
    ['another source', { source: 'ftp' }, 'invalid_request', 'source'],
    ['local without what', { source: 'local' }, 'invalid_request', 'uploadSessionId'],
    ['a folder where none may be looked at', { source: 'local', path: '/etc' }, 'invalid_request', 'path'],
    ['githost without an owner', { source: 'githost', repo: 'x' }, 'invalid_request', 'owner'],
    ['githost without a repository', { source: 'githost', owner: 'x' }, 'invalid_request', 'repo'],
    ['an owner that is a path', { source: 'githost', owner: '..', repo: 'x' }, 'invalid_request', 'owner'],
    [
      'a folder that leaves the source',
      { source: 'local', uploadSessionId: 'x', rootDirectory: '../x' },
      'invalid_request',
      'rootDirectory',
    ],
    ['githost without a connection', { source: 'githost', owner: 'x', repo: 'y' }, 'githost_not_connected'],
  ])('%s', async ([, body, code, field]) => {
    const answer = await prepare(body)
    expect([answer.status, answer.body.code, answer.body.field]).toEqual([400, code, field])
  })

  test('a session of which something has not arrived that must be looked at names it', async () => {
    const page = file('package.json', '{"scripts":{"start":"node server.js"}}')
    const { body } = await announce(api, [page, file('server.js', 'serve()')])
    const answer = await prepare({ source: 'local', uploadSessionId: body.uploadSessionId })
    expect([answer.status, answer.body.code, answer.body.missing]).toEqual([409, 'blobs_missing', [page.sha256]])
  })

  test('a source in which there is nothing to build says what was looked for', async () => {
    const uploadSessionId = await upload(api, { 'notes.txt': 'nothing here' })
    const { status, body } = await prepare({ source: 'local', uploadSessionId })
    expect([status, body.code]).toEqual([400, 'nothing_to_build'])
    expect(body.error).toContain('Dockerfile')
  })
})

test('403: in cloud mode there are no local sources', async () => {
  const cloud = await startWorld({ mode: 'cloud' })
  const someone = (await cloud.org()).owner
  const { status, body } = await prepare({ source: 'local', uploadSessionId: 'upl_x' }, someone.api)
  expect([status, body.code]).toEqual([403, 'local_source_refused'])
})

test('403: a token for one project cannot look at folders or repositories of everyone', async () => {
  const project = (await api('POST', '/api/projects', { name: 'one' })).body
  const restricted = world.as(await world.tokenFor(owner, { projectId: project.id }))
  for (const body of [
    { source: 'local', path: 'x' },
    { source: 'githost', owner: 'x', repo: 'y' },
  ]) {
    expect((await prepare(body, restricted)).body.code).toBe('project_restricted')
  }
})

test("404: another organization's upload looks like one that is not there", async () => {
  const theirs = await world.org('Theirs')
  const uploadSessionId = await upload(theirs.owner.api, { 'index.html': '' })
  expect((await prepare({ source: 'local', uploadSessionId })).status).toBe(404)
})

describe('a folder of the machine', () => {
  let root: string
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'slipway-local-'))
    await mkdir(join(root, 'sources/app/node_modules/next'), { recursive: true })
    await mkdir(join(root, 'outside'))
    await writeFile(join(root, 'sources/app/index.html'), 'x')
    await writeFile(join(root, 'sources/app/node_modules/next/package.json'), '{"scripts":{"start":"node x"}}')
    await writeFile(join(root, 'outside/Dockerfile'), 'FROM busybox:1\nEXPOSE 99\n')
    await symlink(join(root, 'outside'), join(root, 'sources/door'))
    await symlink('../../outside/Dockerfile', join(root, 'sources/app/Dockerfile'))
    Object.assign(world.platform, { localFolders: localFolders(join(root, 'sources'), { most: 1000 }) })
  })
  afterAll(async () => {
    Object.assign(world.platform, { localFolders: null })
    await rm(root, { recursive: true })
  })

  test('is looked at where the operator allows it, without what leads out of it', async () => {
    for (const path of ['app', './app/', join(root, 'sources/app')]) {
      const { status, body } = await prepare({ source: 'local', path })
      expect([status, body.strategy]).toEqual([200, 'static'])
    }
  })

  test.for(['../outside', 'door', 'app/../../outside', '/etc', 'app/index.html', 'nowhere', 'app\0'])(
    'but not %j',
    async (path) => {
      const { status, body } = await prepare({ source: 'local', path })
      expect([status, body.field]).toEqual([400, 'path'])
    },
  )
})

test('a session that is not sealed is looked at when all that tells something has arrived', async () => {
  const contents = { 'package.json': '{"scripts":{"start":"node server.js"}}', 'server.js': 'serve()' }
  const files = Object.entries(contents).map(([path, content]) => file(path, content))
  const { body } = await announce(api, [...files, file('picture.png', 'never sent')])
  for (const content of Object.values(contents)) await put(api, body.uploadSessionId, content)
  const answer = await prepare({ source: 'local', uploadSessionId: body.uploadSessionId })
  expect(answer.body).toMatchObject({ success: true, strategy: 'server', startCommand: expect.any(String) })
})
