import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SslStatus } from '@slipway/contract/ssl'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { tool } from '../../../../lab/tools.ts'
import { serveNames } from '../../../../test-kit/serve-names.ts'
import { authorities, listeners } from '../../../../test-kit/tls-listeners.ts'
import { startWorld } from '../../../../test-kit/world.ts'
import { ownEdges } from '../../../src/core/domains/names/own-edges.ts'
import { newId } from '../../../src/db/ids.ts'

const made = authorities(tool('openssl'))
const known = made.authority('Known')
const folder = mkdtempSync(join(tmpdir(), 'slipway-ssl-'))
const tlsCaFile = join(folder, 'roots.pem')
writeFileSync(tlsCaFile, known.root)

const names = await serveNames({})
const on = listeners()
const HOST = 'shop.example.com'
/** Our own edge, on loopback: the only such address that the operator named. */
const edge = await on.tls(known.issue([HOST]))
const world = await startWorld({
  dnsServers: [names.server],
  tlsCaFile,
  publicAddresses: ['127.0.0.1'],
  edge: { image: 'caddy:2', httpPort: 80, httpsPort: edge.port, publicHttpPort: 80, publicHttpsPort: edge.port },
})
afterAll(() => {
  names.close()
  on.closeAll()
  made.remove()
  rmSync(folder, { recursive: true })
})
const org = await world.org()
const other = await world.org('Other')
const { api } = org.owner
const STATUS = '/api/deployments/ssl/status'
const ask = (domain: unknown, as = api) => as('POST', STATUS, { domain })

beforeEach(() => {
  for (const name of Object.keys(names.zone)) delete names.zone[name]
  names.zone[HOST] = { A: ['127.0.0.1'] }
  edge.connections.length = 0
})

async function rows(): Promise<Record<string, unknown>> {
  const { pool } = world.platform
  const tables = await pool.query("select tablename from pg_tables where schemaname = 'public' order by 1")
  const count = ({ tablename: table }: { tablename: string }) => pool.query(`select count(*)::int as n from "${table}"`)
  const counted = await Promise.all(tables.rows.map(count))
  return Object.fromEntries(tables.rows.map(({ tablename }, index) => [tablename, counted[index]?.rows[0].n]))
}

const addServer = (orgId: string, server: { kind: 'local' | 'ssh'; host?: string; engineId?: string }) =>
  world.platform.db
    .insertInto('server')
    .values({ id: newId('srv'), orgId, name: newId('srv'), ...server })
    .execute()

describe('200', () => {
  test('tells the certificate and where the name leads; one handshake, and no row anywhere', async () => {
    const before = await rows()
    const { status, body } = await api('POST', STATUS, { domain: HOST.toUpperCase() }, { 'idempotency-key': 'once' })
    expect([status, await rows()]).toEqual([200, before])
    expect(Object.keys(before)).toContain('audit')
    expect(SslStatus.parse(body)).toMatchObject({
      success: true,
      domain: HOST,
      state: 'valid',
      issuer: 'CN=Known, O=Slipway tests',
      subject: `CN=${HOST}`,
      altNames: [HOST],
      daysLeft: 88,
      fingerprint256: expect.stringMatching(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/),
      dns: { resolves: true, addresses: ['127.0.0.1'], pointsHere: false },
      managed: false,
      lastError: null,
    })
    expect([edge.connections.length, edge.received]).toEqual([1, []])
    await api('POST', STATUS, { domain: HOST }, { 'idempotency-key': 'once' })
    expect(edge.connections.length).toBe(2)
  })

  test('a name that leads nowhere, and why', async () => {
    names.zone['alias.example.com'] = { CNAME: ['gone.example.net'] }
    names.zone['broken.example.com'] = 'servfail'
    const why = async (domain: string) => {
      const { status, body } = await ask(domain)
      expect([status, body.state, body.dns]).toEqual([
        200,
        'unreachable',
        { resolves: false, addresses: [], pointsHere: false },
      ])
      return body.lastError
    }
    expect(await why('none.example.com')).toBe('The name none.example.com does not exist in the domain name system.')
    expect(await why('alias.example.com')).toContain('which stands for gone.example.net, has no address')
    expect(await why('broken.example.com')).toContain('failed to tell')
    expect(edge.connections).toEqual([])
  })

  test('name servers that are silent are waited for three seconds, and no longer', async () => {
    names.zone['silent.example.com'] = 'silent'
    const began = performance.now()
    expect((await ask('silent.example.com')).body).toMatchObject({
      state: 'unreachable',
      lastError: expect.stringContaining('did not tell in time'),
    })
    expect(performance.now() - began).toBeLessThan(7000)
  })

  test('of several addresses only those are gone to that may be', async () => {
    const elsewhere = await on.silent()
    names.zone[HOST] = { A: ['127.0.0.2', '169.254.169.254', '127.0.0.1'] }
    const { body } = await ask(HOST)
    expect([body.state, body.dns.addresses.length, elsewhere.connections.length]).toEqual(['valid', 3, 0])
  })
})

describe('pointsHere and managed are told', () => {
  test('of the local engine, to the organization that has it', async () => {
    await addServer(org.id, { kind: 'local' })
    expect((await ask(HOST)).body.dns.pointsHere).toBe(true)
    expect((await ask(HOST, other.owner.api)).body.dns.pointsHere).toBe(false)
  })

  test('of servers over SSH by their address or their name, in whatever way it is written', async () => {
    const mine = await world.org('With servers')
    names.zone['six.example.com'] = { AAAA: ['2001:db8:0:0::7'], A: ['127.0.0.1'] }
    names.zone['node.example.net'] = { A: ['127.0.0.1'] }
    const here = async (domain: string) => (await ask(domain, mine.owner.api)).body.dns.pointsHere
    expect(await here('six.example.com')).toBe(false)
    await addServer(mine.id, { kind: 'ssh', host: '2001:DB8::7' })
    expect([await here('six.example.com'), await here(HOST)]).toEqual([true, false])
    await addServer(mine.id, { kind: 'ssh', host: 'node.example.net' })
    expect(await here(HOST)).toBe(true)
  })

  test('of host names of a project, to its organization and to tokens of that project', async () => {
    const project = (await api('POST', '/api/projects', { name: 'shop' })).body.id
    const another = (await api('POST', '/api/projects', { name: 'another' })).body.id
    const row = { host: HOST, orgId: org.id, projectId: project }
    await world.platform.db
      .insertInto('hostName')
      .values({ ...row, kind: 'custom' })
      .execute()
    const managed = async (token: string) => (await ask(HOST, world.as(token))).body.managed
    expect(await managed(org.owner.token)).toBe(true)
    expect(await managed(await world.tokenFor(org.owner, { projectId: project }))).toBe(true)
    expect(await managed(await world.tokenFor(org.owner, { projectId: another }))).toBe(false)
    expect(await managed(other.owner.token)).toBe(false)
  })
})

describe('400', () => {
  test.each([
    undefined,
    null,
    '',
    7,
    'localhost',
    '127.0.0.1',
    '[::1]',
    'a b.example.com',
    'x.example.com:22',
    'http://a.b',
  ])('%j is no domain', async (domain) => {
    const { status, body } = await ask(domain)
    expect([status, body.code, body.field]).toEqual([400, 'invalid_request', 'domain'])
  })

  test.each([
    ['loopback', { A: ['127.0.0.2'] }],
    ['loopback', { AAAA: ['::1'] }],
    ['loopback', { AAAA: ['::ffff:7f00:2'] }],
    ['private', { A: ['10.0.0.1', '192.168.1.1'], AAAA: ['fd00::1'] }],
    ['link-local', { A: ['169.254.169.254'] }],
    ['metadata', { AAAA: ['fd00:ec2::254'] }],
    ['link-local', { AAAA: ['64:ff9b::a9fe:a9fe'] }],
    ['unspecified', { A: ['0.0.0.0'] }],
  ] as const)('%s: %j is not gone to', async (kind, records) => {
    names.zone[HOST] = records as never
    const { status, body } = await ask(HOST)
    expect([status, body.code, body.error]).toEqual([400, 'address_refused', expect.stringContaining(kind)])
    for (const address of Object.values(records).flat()) expect(body.error).not.toContain(address)
    expect(edge.connections).toEqual([])
  })

  test('a name that leads elsewhere the second time is asked only once', async () => {
    let asked = 0
    names.zone['rebind.example.com'] = () => (++asked <= 3 ? { A: ['127.0.0.2'] } : { A: ['127.0.0.1'] })
    expect((await ask('rebind.example.com')).body.code).toBe('address_refused')
    // The other way round: once it was found good, what it says later is not heard.
    const first = names.asked.length
    names.zone['rebind.example.com'] = () =>
      names.asked.slice(first).filter((question) => question === 'A rebind.example.com').length <= 1
        ? { A: ['127.0.0.1'] }
        : { A: ['127.0.0.2'] }
    const { body } = await ask('rebind.example.com')
    expect([body.dns.addresses, edge.connections.length]).toEqual([['127.0.0.1'], 1])
    expect(names.asked.slice(first).toSorted()).toEqual(
      ['A', 'AAAA', 'CNAME'].map((type) => `${type} rebind.example.com`),
    )
  })

  test('a server opens its private address only after it was used; never one of this machine, never by a name', async () => {
    const mine = await world.org('With a network')
    names.zone[HOST] = { A: ['10.1.2.3'] }
    names.zone['node.example.net'] = { A: ['10.1.2.4'] }
    await addServer(mine.id, { kind: 'ssh', host: '10.1.2.3' })
    await addServer(mine.id, { kind: 'ssh', host: 'node.example.net', engineId: 'engine' })
    for (const host of ['127.0.0.3', '169.254.169.254', 'fd00:ec2::254'])
      await addServer(mine.id, { kind: 'ssh', host, engineId: 'engine' })
    expect((await ask(HOST, mine.owner.api)).body.code).toBe('address_refused')
    const limits = { signal: new AbortController().signal, deadlineMs: 3000 }
    const open = async (orgId: string) => {
      const { mayConnect } = await ownEdges(world.platform, orgId, limits)
      const all = ['10.1.2.3', '10.1.2.4', '127.0.0.3', '169.254.169.254', 'fd00:ec2::254', '127.0.0.1', '1.1.1.1']
      return all.filter(mayConnect)
    }
    expect(await open(mine.id)).toEqual(['127.0.0.1', '1.1.1.1'])
    const { db } = world.platform
    await db.updateTable('server').set({ engineId: 'engine' }).where('host', '=', '10.1.2.3').execute()
    expect(await open(mine.id)).toEqual(['10.1.2.3', '127.0.0.1', '1.1.1.1'])
    expect(await open(other.id)).toEqual(['127.0.0.1', '1.1.1.1'])
  })
})
