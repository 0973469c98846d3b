import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { startWorld } from '../../harness.ts'
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

test('one that was made before is tried no more when the operator says so, and can still be renamed', async () => {
  const { id } = await create(org, local(join(root, 'a')))
  const row = await enabled.platform.db
    .selectFrom('backupDestination')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  for (const [world, to] of [
    [disabled, orgDisabled],
    [rootless, orgRootless],
    [cloud, orgCloud],
  ] as const) {
    if (!to) throw new Error('no organization')
    const copy = { ...row, orgId: to.id, lastVerifySteps: null }
    await world.platform.db.insertInto('backupDestination').values(copy).execute()
    const { status, body } = await to.owner.api('POST', `${PATH}/${id}/preflight`)
    expect([status, body.ok]).toEqual([200, false])
    expect(body.reason).toMatch(/^connect: /)
    expect((await to.owner.api('PATCH', `${PATH}/${id}`, { name: 'renamed' })).status).toBe(200)
  }
})

describe('in cloud mode a host that leads to an address of our own network → 400', () => {
  const leads: Record<string, string[]> = {
    'private.example.com': ['10.1.2.3'],
    'both.example.com': ['93.184.216.34', '127.0.0.1'],
    'meta.example.com': ['169.254.169.254'],
    'public.example.com': ['93.184.216.34'],
  }
  cloud.platform.dns = {
    lookup: async (host) => ({ a: leads[host] ?? [], aaaa: [], cname: [], txt: null, problem: null }),
  }

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

  test('and is asked again when the connection is made', async () => {
    if (!orgCloud) throw new Error('no organization')
    const asked: boolean[] = []
    cloud.platform.storage = {
      open: async (_, { mayConnect }) => {
        for (const address of ['10.1.2.3', '127.0.0.1', '169.254.169.254', '::1', '93.184.216.34'])
          asked.push(mayConnect?.(address) ?? true)
        throw Object.assign(new Error('no'), { code: 'address_refused', hint: 'Use a host with a public address.' })
      },
    }
    const { id } = await create(orgCloud, { ...s3(), endpoint: 'https://public.example.com' })
    const { body } = await orgCloud.owner.api('POST', `${PATH}/${id}/preflight`)
    expect(body).toEqual({ ok: false, reason: 'connect: no Use a host with a public address.' })
    expect(asked).toEqual([false, false, false, false, true])
  })
})
