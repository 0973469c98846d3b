import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { startWorld } from '../../../../test-kit/world.ts'
import { reverifyDue } from '../../../src/core/backups/reverify.ts'
import { storageFailure } from '../../../src/drivers/storage/storage.ts'
import { create, newName, PATH, s3, sftp } from './destinations.ts'

const base = mkdtempSync(join(tmpdir(), 'slipway-local-'))
const root = join(base, 'root')
const outside = join(base, 'outside')
mkdirSync(root)
mkdirSync(outside)
symlinkSync(outside, join(root, 'leads-out'))
symlinkSync(root, join(base, 'other-way'))
afterAll(() => rmSync(base, { recursive: true, force: true }))

const serverRoot = '/var/lib/slipway/backups'
const enabled = await startWorld({ backups: { allowLocal: true, localRoot: root, serverRoot } })
const disabled = await startWorld({ backups: { allowLocal: false, localRoot: root, serverRoot } })
const rootless = await startWorld({ backups: { allowLocal: true, localRoot: null, serverRoot } })
const cloud = await startWorld({ mode: 'cloud', backups: { allowLocal: true, localRoot: root, serverRoot } })
const orgs = await Promise.all([enabled, disabled, rootless, cloud].map((world) => world.org()))
const [org, orgDisabled, orgRootless, orgCloud] = orgs as [(typeof orgs)[0], ...typeof orgs]
const local = (endpoint: string) => ({ kind: 'local', name: newName(), endpoint })

describe('a local destination → 400', () => {
  test.each([
    ['where it is disabled', () => orgDisabled, 'disabled'],
    ['without a root', () => orgRootless, 'configured'],
    ['in cloud mode, whatever else is set', () => orgCloud, 'hosted'],
  ])('%s', async (_, of, word) => {
    const answer = await of()?.owner.api('POST', PATH, local(join(root, 'a')))
    expect([answer?.status, answer?.body.code, answer?.body.field]).toEqual([
      400,
      'local_destination_refused',
      'endpoint',
    ])
    expect(answer?.body.error).toContain(word)
  })

  test.each([
    ['relative', 'root/a'],
    ['with ..', `${root}/../outside`],
    ['outside', outside],
    ['a neighbour whose name begins like the root', `${root}2`],
    ['behind a link that leads out', join(root, 'leads-out')],
    ['below a link that leads out', join(root, 'leads-out', 'deep', 'er')],
    ['a URL', 'https://example.com'],
  ])('whose path is %s', async (_, endpoint) => {
    const answer = await org.owner.api('POST', PATH, local(endpoint))
    expect([answer.status, answer.body.field]).toEqual([400, 'endpoint'])
    const { id } = await create(org, local(join(root, 'a')))
    const patched = await org.owner.api('PATCH', `${PATH}/${id}`, { endpoint })
    expect([patched.status, patched.body.field]).toEqual([400, 'endpoint'])
  })
})

test('a path inside the root is taken, there or not', async () => {
  for (const path of [root, join(root, 'a'), join(root, 'not', 'there', 'yet')])
    expect(await create(org, local(path))).toMatchObject({ endpoint: path, kind: 'local' })
})

test('a local path that resolves inside of the root is taken, one that leaves it is refused', async () => {
  for (const path of [`${root}/a/../b`, `${root}/./a`, `${root}/a/../../${basename(root)}/a`])
    expect(await create(org, local(path))).toMatchObject({ endpoint: path, kind: 'local' })
  for (const path of [`${root}/a/../..`, `${root}/../neighbour`, `${root}/leads-out/../../outside`, `${root}/a\0b`])
    expect((await org.owner.api('POST', PATH, local(path))).status).toBe(400)
})

describe('one that was made before is tried no more when the operator says so', () => {
  const planted = async (world: typeof cloud, to: typeof org | undefined) => {
    if (!to) throw new Error('no organization')
    const { id } = await create(org, local(join(root, 'a')))
    const { db } = enabled.platform
    const row = await db.selectFrom('backupDestination').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    const copy = { ...row, orgId: to.id, lastVerifySteps: null }
    await world.platform.db.insertInto('backupDestination').values(copy).execute()
    const ask = (method: string, body?: object) => to.owner.api(method, `${PATH}/${id}`, body)
    const preflight = () => to.owner.api('POST', `${PATH}/${id}/preflight`)
    return { id, ask, preflight }
  }

  test.each([
    ['disabled', disabled, orgDisabled],
    ['without a root', rootless, orgRootless],
  ])('%s, it can still be renamed', async (_, world, to) => {
    const { ask, preflight } = await planted(world, to)
    const { status, body } = await preflight()
    expect([status, body.ok]).toEqual([200, false])
    expect(body.reason).toMatch(/^connect: /)
    expect((await ask('PATCH', { name: newName() })).status).toBe(200)
  })

  test('in cloud mode every change → 400; it is shown, and can be deleted', async () => {
    const { ask, preflight } = await planted(cloud, orgCloud)
    expect((await preflight()).body).toMatchObject({ ok: false, reason: expect.stringMatching(/^connect: /) })
    for (const change of [{ name: newName() }, { isDefault: true }, { pathPrefix: 'a' }, { endpoint: root }, {}]) {
      const { status, body } = await ask('PATCH', change)
      expect([status, body.code]).toEqual([400, 'local_destination_refused'])
    }
    expect((await ask('GET')).status).toBe(200)
    expect((await ask('DELETE')).status).toBe(200)
  })

  test('the daily check says so too, once, and looks again the next day', async () => {
    const { id, ask } = await planted(cloud, orgCloud)
    const { db } = cloud.platform
    for (let day = 0; day < 2; day++) {
      await db
        .updateTable('backupDestination')
        .set({ nextVerifyAt: new Date(0) })
        .where('id', '=', id)
        .execute()
      await reverifyDue(cloud.platform, new AbortController().signal)
    }
    const shown = (await ask('GET')).body
    expect(shown).toMatchObject({ lastVerifyError: expect.stringMatching(/^connect: A hosted instance/) })
    const { rows } = await cloud.platform.pool.query('select action from audit where target = $1', [id])
    expect(rows).toEqual([{ action: 'backup_destination.broke' }])
  })
})

describe('a server of the platform that is this very machine', () => {
  const here = async (world: typeof enabled) => {
    const org = await world.org()
    const { id } = (await org.owner.api('POST', '/api/servers', { kind: 'local', name: 'here' })).body
    const to = { kind: 'platform_server', name: newName(), serverId: id }
    return { org, id, made: await org.owner.api('POST', PATH, to) }
  }

  test('is refused where the instance keeps no backups on its own machine', async () => {
    const { org, id, made } = await here(disabled)
    expect([made.status, made.body.code, made.body.field]).toEqual([400, 'local_destination_refused', 'serverId'])
    expect(made.body.hint).toContain('BACKUP_ALLOW_LOCAL_DESTINATION')
    const other = await org.owner.api('POST', '/api/servers', { kind: 'ssh', name: 'far', host: '192.0.2.1' })
    const far = await create(org, { kind: 'platform_server', name: newName(), serverId: other.body.id })
    const moved = await org.owner.api('PATCH', `${PATH}/${far.id}`, { serverId: id })
    expect(moved.body.code).toBe('local_destination_refused')
    // One that was made before it was switched off.
    await disabled.platform.db.updateTable('backupDestination').set({ serverId: id }).where('id', '=', far.id).execute()
    const { body } = await org.owner.api('POST', `${PATH}/${far.id}/preflight`)
    expect(body).toEqual({ ok: false, reason: expect.stringMatching(/^connect: .*disabled/) })
  })

  test('is taken where it does', async () => {
    expect((await here(enabled)).made.status).toBe(201)
  })
})

describe('in cloud mode a host that leads to an address of our own network → 400', () => {
  const leads: Record<string, string[]> = {
    'private.example.com': ['10.1.2.3'],
    'both.example.com': ['93.184.216.34', '127.0.0.1'],
    'meta.example.com': ['169.254.169.254'],
    'six.example.com': ['fd00::7'],
    'public.example.com': ['93.184.216.34'],
  }
  const lookup = async (host: string) => {
    const all = leads[host] ?? []
    const [a, aaaa] = [false, true].map((six) => all.filter((address) => address.includes(':') === six))
    return { a: a ?? [], aaaa: aaaa ?? [], cname: [], txt: null, problem: null }
  }
  cloud.platform.dns = { lookup }

  test.each([
    '127.0.0.1',
    '127.1',
    '10.0.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.100.100.200',
    '[::1]',
    '[fd00::1]',
    '[::ffff:10.0.0.1]',
    'localhost',
    'a.localhost',
    'private.example.com',
    'both.example.com',
    'meta.example.com',
    'six.example.com',
  ])('%s, when made and when changed', async (host) => {
    const { api } = orgCloud?.owner ?? {}
    if (!api || !orgCloud) throw new Error('no organization')
    const endpoint = `https://${host}`
    const made = await api('POST', PATH, { ...s3(), endpoint })
    expect([made.status, made.body.code, made.body.field]).toEqual([400, 'address_refused', 'endpoint'])
    const bucket = await create(orgCloud, { ...s3(), endpoint: 'https://public.example.com' })
    expect((await api('PATCH', `${PATH}/${bucket.id}`, { endpoint })).body.code).toBe('address_refused')
    const sshHost = host.replace(/^\[|\]$/g, '')
    const login = await create(orgCloud, { ...sftp(), sshHost: 'public.example.com' })
    expect((await api('POST', PATH, { ...sftp(), sshHost })).body.code).toBe('address_refused')
    expect((await api('PATCH', `${PATH}/${login.id}`, { sshHost })).body.code).toBe('address_refused')
  })

  test('and with a dot at its end', async () => {
    const endpoint = 'https://private.example.com.'
    expect((await orgCloud?.owner.api('POST', PATH, { ...s3(), endpoint }))?.body.code).toBe('address_refused')
  })

  test('and is asked again when the connection is made', async () => {
    if (!orgCloud) throw new Error('no organization')
    const asked: boolean[] = []
    cloud.platform.storage = {
      open: async (_, { mayConnect }) => {
        for (const address of ['10.1.2.3', '127.0.0.1', '169.254.169.254', '::1', '93.184.216.34'])
          asked.push(mayConnect?.(address) ?? true)
        throw storageFailure('address_refused', 'no', { hint: 'Use a host with a public address.' })
      },
    }
    const { id } = await create(orgCloud, { ...s3(), endpoint: 'https://public.example.com' })
    const { body } = await orgCloud.owner.api('POST', `${PATH}/${id}/preflight`)
    expect(body).toEqual({ ok: false, reason: 'connect: no Use a host with a public address.' })
    expect(asked).toEqual([false, false, false, false, true])
  })
})
