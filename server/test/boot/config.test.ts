import { describe, expect, test } from 'vitest'
import { SECRET_KEY, startProcess } from '../../../test-kit/server-process.ts'
import { readConfig } from '../../src/config.ts'

const database = 'postgres://nobody@127.0.0.1:1/none'
const withKey = (key: string | undefined) => () =>
  readConfig({ SLIPWAY_DATABASE_URL: database, ...(key !== undefined && { SLIPWAY_SECRET_KEY: key }) })

describe('the server refuses to start, and names SLIPWAY_SECRET_KEY, when that is', () => {
  const random = Buffer.from(SECRET_KEY, 'hex')
  test.each([
    ['missing', undefined],
    ['empty', ''],
    ['too short', SECRET_KEY.slice(0, 62)],
    ['too long', `${SECRET_KEY}00`],
    ['a word', 'changeme'],
    ['32 letters', Buffer.from('please-change-this-secret-key-ok').toString('hex')],
    ['zeros', '0'.repeat(64)],
    ['the same byte', 'a5'.repeat(32)],
    ['counting bytes', Buffer.from(Array.from({ length: 32 }, (_, i) => i)).toString('hex')],
    ['counting digits', '0123456789abcdef'.repeat(4)],
    ['a random half twice', Buffer.concat([random.subarray(0, 16), random.subarray(0, 16)]).toString('hex')],
    ['good, but with a well-known one in its ring', `${SECRET_KEY},${'0'.repeat(64)}`],
  ])('%s', (_, key) => {
    expect(withKey(key)).toThrow('SLIPWAY_SECRET_KEY')
    expect(withKey(key)).toThrow('openssl rand -hex 32')
  })
})

test('a random key starts, in hex and in base64, alone and in a ring', () => {
  const base64 = Buffer.from(SECRET_KEY, 'hex').toString('base64')
  const other = Buffer.from(SECRET_KEY, 'hex').reverse().toString('hex')
  for (const key of [SECRET_KEY, base64, `${other},${SECRET_KEY}`]) expect(withKey(key)).not.toThrow()
})

test.each([
  ['missing', ''],
  ['well-known', '0'.repeat(64)],
])('a process whose key is %s ends with 1 and says what to do, never showing a key', async (_, key) => {
  const server = startProcess({ SLIPWAY_DATABASE_URL: database, SLIPWAY_SECRET_KEY: key })
  try {
    expect(await server.ended).toEqual({ code: 1, signal: null })
    expect(server.said()).toContain('SLIPWAY_SECRET_KEY')
    expect(server.said()).toContain('openssl rand -hex 32')
    if (key) expect(server.said()).not.toContain(key)
  } finally {
    await server.end()
  }
})

test('a file that is named must be there', () => {
  const given = (file: string) => () =>
    readConfig({ SLIPWAY_DATABASE_URL: database, SLIPWAY_SECRET_KEY: SECRET_KEY, SLIPWAY_GIT_CA_FILE: file })
  expect(given('/nowhere/ca.pem')).toThrow('SLIPWAY_GIT_CA_FILE: cannot be read')
  expect(given(import.meta.filename)().gitCaFile).toBe(import.meta.filename)
})

test('a hosted cloud is a host by https and nothing more, said without repeating what was given', () => {
  const base = { SLIPWAY_DATABASE_URL: database, SLIPWAY_SECRET_KEY: SECRET_KEY }
  const given = (url: string) => () => readConfig({ ...base, SLIPWAY_CLOUD_URL: url })
  for (const url of ['https://cloud.example.com', 'https://127.0.0.1:4600/', 'https://[::1]:4600'])
    expect(given(url)().cloudUrl).toBe(url.replace(/\/$/, ''))
  const user = 'https://ada:hunter2@cloud.example.com'
  const wrong = ['https://cloud.example.com/app', 'https://cloud.example.com?a', 'https://cloud.example.com#a', user]
  for (const url of [...wrong, 'http://cloud.example.com', 'cloud.example.com', 'https://', 'https://a b', 'ftp://x']) {
    expect(given(url)).toThrow('SLIPWAY_CLOUD_URL: must be https:// and a host')
    expect(given(url)).toThrow('such as https://cloud.example.com')
  }
  expect(given(user)).not.toThrow('hunter2')
})

test('everything that is wrong with the environment is named at once', () => {
  const wrong = () => readConfig({ SLIPWAY_PORT: '70000', SLIPWAY_MODE: 'hybrid' })
  for (const name of ['SLIPWAY_DATABASE_URL', 'SLIPWAY_SECRET_KEY', 'SLIPWAY_PORT', 'SLIPWAY_MODE'])
    expect(wrong).toThrow(name)
})

test('logs move after a day and are kept for a year, unless the environment says otherwise', () => {
  const base = { SLIPWAY_DATABASE_URL: database, SLIPWAY_SECRET_KEY: SECRET_KEY }
  const hour = 3600_000
  expect(readConfig(base).logs).toEqual({ moveAfterMs: 24 * hour, keepMs: 365 * 24 * hour })
  const other = readConfig({ ...base, SLIPWAY_LOG_MOVE_HOURS: '0.5', SLIPWAY_LOG_KEEP_DAYS: '7' })
  expect(other.logs).toEqual({ moveAfterMs: hour / 2, keepMs: 7 * 24 * hour })
  expect(() => readConfig({ ...base, SLIPWAY_LOG_KEEP_DAYS: '-1' })).toThrow('SLIPWAY_LOG_KEEP_DAYS')
})

test('addresses are lists of addresses, and name servers may have a port', () => {
  const given = { SLIPWAY_DATABASE_URL: database, SLIPWAY_SECRET_KEY: SECRET_KEY }
  expect(readConfig(given)).toMatchObject({ publicAddresses: null, dnsServers: null, tlsCaFile: null })
  const servers = '127.0.0.1, 127.0.0.1:5353,2001:db8::53,[2001:db8::53]:53'
  const both = readConfig({
    ...given,
    SLIPWAY_PUBLIC_ADDRESSES: '192.0.2.1, 2001:db8::1',
    SLIPWAY_DNS_SERVERS: servers,
  })
  expect(both.publicAddresses).toEqual(['192.0.2.1', '2001:db8::1'])
  expect(both.dnsServers).toEqual(['127.0.0.1', '127.0.0.1:5353', '2001:db8::53', '[2001:db8::53]:53'])
  for (const wrong of ['example.com', '192.0.2.1:443', '192.0.2.1,', '192.0.2'])
    expect(() => readConfig({ ...given, SLIPWAY_PUBLIC_ADDRESSES: wrong })).toThrow('SLIPWAY_PUBLIC_ADDRESSES')
  for (const wrong of ['example.com', '[192.0.2.1', '192.0.2.1:', ':53'])
    expect(() => readConfig({ ...given, SLIPWAY_DNS_SERVERS: wrong })).toThrow('SLIPWAY_DNS_SERVERS')
})

test('folders of the machine are looked at only below an absolute directory, and never in cloud mode', () => {
  const given = { SLIPWAY_DATABASE_URL: database, SLIPWAY_SECRET_KEY: SECRET_KEY }
  expect(readConfig(given).localSources).toBeNull()
  expect(readConfig({ ...given, SLIPWAY_LOCAL_SOURCES: '/srv/sources' }).localSources).toBe('/srv/sources')
  const cloud = { ...given, SLIPWAY_MODE: 'cloud', SLIPWAY_LOCAL_SOURCES: '/srv/sources' }
  expect(readConfig(cloud).localSources).toBeNull()
  expect(() => readConfig({ ...given, SLIPWAY_LOCAL_SOURCES: 'sources' })).toThrow('SLIPWAY_LOCAL_SOURCES')
})

test('organizations have limits in cloud mode, which the environment changes or lifts, and none in self-hosted mode', () => {
  const given = { SLIPWAY_DATABASE_URL: database, SLIPWAY_SECRET_KEY: SECRET_KEY }
  const changed = { ...given, SLIPWAY_LIMIT_PROJECTS: '3', SLIPWAY_LIMIT_MEMBERS: 'none' }
  const nothing = new Set([null])
  for (const one of [given, changed]) expect(new Set(Object.values(readConfig(one).limits))).toEqual(nothing)
  const { limits } = readConfig({ ...given, SLIPWAY_MODE: 'cloud' })
  for (const most of Object.values(limits)) expect(most).toBeGreaterThan(0)
  const cloud = readConfig({ ...changed, SLIPWAY_MODE: 'cloud' })
  expect(cloud.limits).toEqual({ ...limits, projects: 3, members: null })
  for (const wrong of ['0', '-1', 'many', '1.5'])
    expect(() => readConfig({ ...given, SLIPWAY_LIMIT_PROJECTS: wrong })).toThrow('SLIPWAY_LIMIT_PROJECTS')
})

test('backups stay on this machine only when it is said twice: that they may, and where', () => {
  const given = { SLIPWAY_DATABASE_URL: database, SLIPWAY_SECRET_KEY: SECRET_KEY }
  const serverRoot = '/var/lib/slipway/backups'
  expect(readConfig(given).backups).toEqual({ allowLocal: false, localRoot: null, serverRoot })
  const both = { ...given, BACKUP_ALLOW_LOCAL_DESTINATION: 'true', BACKUP_LOCAL_ROOT: '/srv/backups/' }
  expect(readConfig(both).backups).toEqual({ allowLocal: true, localRoot: '/srv/backups', serverRoot })
  expect(() => readConfig({ ...given, BACKUP_ALLOW_LOCAL_DESTINATION: 'yes' })).toThrow(
    'BACKUP_ALLOW_LOCAL_DESTINATION',
  )
  for (const name of ['BACKUP_LOCAL_ROOT', 'BACKUP_SERVER_ROOT'])
    expect(() => readConfig({ ...given, [name]: 'backups' })).toThrow(name)
})

test('certificates come from the usual CA, from another one, or from nowhere; a zone may be changed with a key', () => {
  const given = { SLIPWAY_DATABASE_URL: database, SLIPWAY_SECRET_KEY: SECRET_KEY }
  expect(readConfig(given)).toMatchObject({ acme: { eab: null, contact: null }, dnsUpdate: null })
  expect(readConfig({ ...given, SLIPWAY_ACME_DIRECTORY: 'off' }).acme).toBeNull()
  const own = { SLIPWAY_ACME_DIRECTORY: 'https://ca.example.com/dir', SLIPWAY_ACME_CONTACT: 'ops@example.com' }
  const eab = { SLIPWAY_ACME_EAB_KID: 'kid', SLIPWAY_ACME_EAB_HMAC_KEY: 'key' }
  expect(readConfig({ ...given, ...own, ...eab }).acme).toEqual({
    directoryUrl: 'https://ca.example.com/dir',
    caFile: null,
    contact: 'ops@example.com',
    eab: { kid: 'kid', hmacKey: 'key' },
  })
  for (const wrong of ['http://ca.example.com/dir', 'ca', 'ON'])
    expect(() => readConfig({ ...given, SLIPWAY_ACME_DIRECTORY: wrong })).toThrow('SLIPWAY_ACME_DIRECTORY')
  const zone = { SLIPWAY_DNS_UPDATE_SERVER: 'ns1.example.com', SLIPWAY_DNS_UPDATE_KEY: 'hmac-sha256:slipway:c2VjcmV0' }
  const key = { name: 'slipway', algorithm: 'hmac-sha256', secret: 'c2VjcmV0' }
  expect(readConfig({ ...given, ...zone }).dnsUpdate).toEqual({ server: 'ns1.example.com', key })
  const hook = { SLIPWAY_DNS_UPDATE_URL: 'https://slipway:pass%20word@dns.example.com/hook' }
  const login = { user: 'slipway', password: 'pass word' }
  expect(readConfig({ ...given, ...hook }).dnsUpdate).toEqual({ url: 'https://dns.example.com/hook', login })
  for (const wrong of ['http://dns.example.com', 'dns.example.com', 'ftp://127.0.0.1'])
    expect(() => readConfig({ ...given, SLIPWAY_DNS_UPDATE_URL: wrong })).toThrow('SLIPWAY_DNS_UPDATE_URL')
  const unread = () => readConfig({ ...given, SLIPWAY_DNS_UPDATE_KEY: 'slipway:topsecret' })
  expect(unread).toThrow('SLIPWAY_DNS_UPDATE_KEY')
  expect(unread).not.toThrow('topsecret')
})

test('mail has a server and a sender or neither, and no mistake about them shows the password', () => {
  const given = { SLIPWAY_DATABASE_URL: database, SLIPWAY_SECRET_KEY: SECRET_KEY }
  const url = 'smtps://slipway:top%40secret@mail.example.com'
  const both = { ...given, SLIPWAY_SMTP_URL: url, SLIPWAY_MAIL_FROM: 'noreply@example.com' }
  for (const mode of ['self_hosted', 'cloud']) expect(readConfig({ ...given, SLIPWAY_MODE: mode }).mail).toBeNull()
  expect(readConfig(both).mail).toEqual({ url, from: 'noreply@example.com', caFile: null })
  const caFile = import.meta.filename
  expect(readConfig({ ...both, SLIPWAY_SMTP_CA_FILE: caFile }).mail).toMatchObject({ caFile })
  expect(() => readConfig({ ...both, SLIPWAY_SMTP_CA_FILE: '/nowhere/ca.pem' })).toThrow('SLIPWAY_SMTP_CA_FILE')
  expect(() => readConfig({ ...both, SLIPWAY_SMTP_URL: '' })).toThrow('SLIPWAY_SMTP_URL')
  for (const from of ['', 'slipway', 'Slipway <noreply@example.com>', 'a@example.com,b@example.com'])
    expect(() => readConfig({ ...both, SLIPWAY_MAIL_FROM: from }), from).toThrow('SLIPWAY_MAIL_FROM')
  for (const wrong of [
    'http://u:topsecret@mail.example.com',
    'mail.example.com',
    'smtp://user@mail.example.com',
    'smtp://:topsecret@mail.example.com',
    'smtp://u:topsecret%@mail.example.com',
    'smtp://u:topsecret@mail.example.com/path',
    'smtp://u:topsecret@mail.example.com?requireTLS=false',
  ]) {
    const reading = () => readConfig({ ...both, SLIPWAY_SMTP_URL: wrong })
    expect(reading, wrong).toThrow('SLIPWAY_SMTP_URL')
    expect(reading, wrong).not.toThrow('topsecret')
  }
})
