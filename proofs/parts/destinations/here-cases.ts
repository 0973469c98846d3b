import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Case } from './case.ts'
import { type Ground, PATH } from './ground.ts'

/** Folders of this machine. */
export async function localCases(ground: Ground): Promise<Case[]> {
  const { site, root, aside } = ground
  const at = (name: string) => ({ kind: 'local', endpoint: join(root, name) })
  const full = await ground.mount('full', 'size=64k')
  writeFileSync(join(full, 'filler'), Buffer.alloc(60 * 1024))
  const readOnly = await ground.mount('read-only', 'size=1m')
  await ground.remount(readOnly, 'ro')
  const off = await site.start({ role: 'api', env: { BACKUP_ALLOW_LOCAL_DESTINATION: 'false' } })
  const rootless = await site.start({ role: 'api', env: { BACKUP_LOCAL_ROOT: '' } })
  const elsewhere = await site.start({ role: 'api', env: { BACKUP_LOCAL_ROOT: join(aside, 'not-there') } })
  const cloud = await site.start({ role: 'api', env: { SLIPWAY_MODE: 'cloud' } })
  const outside = join(aside, 'outside')
  mkdirSync(outside)
  return [
    {
      title: 'local: a link that leads out of the root, made later',
      step: 'connect',
      says: /BACKUP_LOCAL_ROOT/,
      body: at('linked'),
      arrange: async () => symlinkSync(outside, join(root, 'linked')),
    },
    {
      title: 'local: a file where the folder should be',
      step: 'connect',
      says: /folder/,
      body: at('a-file'),
      arrange: async () => writeFileSync(join(root, 'a-file'), ''),
    },
    { title: 'local: full disk', step: 'write', says: /space/, body: at('full') },
    { title: 'local: read-only', step: 'connect', says: /read-only/, body: at('read-only') },
    { title: 'local: disabled', step: 'connect', says: /BACKUP_ALLOW_LOCAL_DESTINATION/, body: at('a'), at: off.url },
    { title: 'local: no root configured', step: 'connect', says: /BACKUP_LOCAL_ROOT/, body: at('a'), at: rootless.url },
    {
      title: 'local: the root is not there',
      step: 'connect',
      says: /BACKUP_LOCAL_ROOT/,
      body: at('a'),
      at: elsewhere.url,
    },
    { title: 'local: cloud mode', step: 'connect', says: /hosted/, body: at('a'), at: cloud.url },
    ...privateAddresses(ground, cloud.url),
  ]
}

/** They were saved when they led elsewhere, or by an instance at home: in cloud mode nobody connects to them. */
function privateAddresses({ s3, sftp }: Ground, at: string): Case[] {
  const { endpoint, main } = s3.s3
  const login = { sshHost: sftp.address, sshPort: sftp.port, sshUser: sftp.user, sftpPassword: sftp.password }
  const common = { step: 'connect', says: /an address that may not be used.*SLIPWAY_ALLOWED_NETWORKS/, at } as const
  return [
    {
      title: 'cloud: S3 at a private address',
      ...common,
      body: { kind: 's3_compatible', endpoint, bucket: 'b', ...main },
    },
    { title: 'cloud: SFTP at a private address', ...common, body: { kind: 'sftp', ...login } },
  ]
}

/** Servers of the platform. */
export async function serverCases({ site, host1, key, bad }: Ground): Promise<Case[]> {
  let n = 0
  const add = async (more: object, checked: boolean) => {
    const { address, port, user, keyFile } = host1
    const body = { kind: 'ssh', name: `server ${++n}`, host: address, port, user, privateKey: key(keyFile), ...more }
    const { id } = await site.ask('POST', '/api/servers', body)
    if (checked) await site.ask('POST', `/api/servers/${id}/check`)
    return id as string
  }
  const to = (serverId: string) => ({ kind: 'platform_server', serverId })
  const changed = async (patch: object) => {
    const id = await add({}, true)
    const { hostKey } = await site.ask('GET', `/api/servers/${id}`)
    return { body: to(id), arrange: () => site.ask('PATCH', `/api/servers/${id}`, { hostKey, ...patch }) }
  }
  const removed = await add({}, true)
  const unusable = await site.start({ role: 'api', env: { BACKUP_SERVER_ROOT: '/proc/backups' } })
  return [
    {
      title: 'server: removed',
      step: 'connect',
      says: /removed/,
      body: to(removed),
      arrange: () => site.ask('DELETE', `/api/servers/${removed}`),
    },
    { title: 'server: never checked', step: 'connect', says: /host key/, body: to(await add({}, false)) },
    {
      title: 'server: another host key than the pinned one',
      step: 'connect',
      says: /reinstalled|fingerprint/,
      ...(await changed({ hostKey: `ssh-ed25519 SHA256:${'A'.repeat(43)}` })),
    },
    {
      title: 'server: closed port',
      step: 'connect',
      says: /port/,
      ...(await changed({ host: bad.host, port: bad.closed })),
    },
    {
      title: 'server: silent',
      step: 'connect',
      says: /firewall|time/,
      ...(await changed({ host: bad.host, port: bad.silent })),
    },
    { title: 'server: wrong user', step: 'auth', says: /user/i, ...(await changed({ user: 'nobody-here' })) },
    {
      title: 'server: the folder cannot be made',
      step: 'write',
      says: /\/proc|cannot/,
      body: to(await add({}, true)),
      at: unusable.url,
    },
  ]
}

/** A stored secret that is not what was sealed. */
export function storedCases({ site, s3 }: Ground, bucket: string): Case[] {
  const body = { kind: 's3_compatible', endpoint: s3.s3.endpoint, bucket, ...s3.s3.main }
  const put = (expression: string) => async (id: string) =>
    site.database?.pool.query(`update backup_destination set secret_access_key = ${expression} where id = $1`, [id])
  const moved = async (id: string) => {
    const other = await site.ask('POST', PATH, { ...body, name: 'other row' })
    const sealed = `select secret_access_key from backup_destination where id = $2`
    await site.database?.pool.query(`update backup_destination set secret_access_key = (${sealed}) where id = $1`, [
      id,
      other.id,
    ])
  }
  const common = { step: 'auth', says: /secretAccessKey cannot be opened.*Set/, body } as const
  return [
    { title: 'stored: a flipped character', ...common, arrange: put(`overlay(secret_access_key placing '-' from 40)`) },
    { title: 'stored: cut short', ...common, arrange: put(`left(secret_access_key, 30)`) },
    { title: 'stored: moved from another row', ...common, arrange: moved },
  ]
}
