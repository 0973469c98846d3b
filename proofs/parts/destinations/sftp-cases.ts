import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Case } from './case.ts'
import { fill } from './fill.ts'
import type { Ground } from './ground.ts'

export async function sftpCases({ sftp, bad, key, atEnd }: Ground): Promise<Case[]> {
  const login = { kind: 'sftp', sshHost: sftp.address, sshPort: sftp.port, sshUser: sftp.user }
  const to = (more: object = {}) => ({ ...login, sftpPassword: sftp.password, ...more })
  const withKey = (privateKey: string, more: object = {}) => ({ ...login, sftpPrivateKey: privateKey, ...more })
  const on = (port: number) => to({ sshHost: bad.host, sshPort: port })
  const unknown = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
  }).privateKey
  const otherHostKey = `ssh-ed25519 SHA256:${'A'.repeat(43)}`
  const inTheWay = `file-${process.pid}`
  writeFileSync(join(sftp.home, inTheWay), 'not a folder')
  atEnd(
    await fill({
      kind: 'sftp',
      host: sftp.address,
      port: sftp.port,
      user: sftp.fullUser,
      ...{ password: sftp.password, privateKey: null, passphrase: null, hostKey: null, prefix: '' },
    }),
  )
  return [
    { title: 'SFTP: wrong password', step: 'auth', says: /Check/, body: to({ sftpPassword: 'wrong' }) },
    { title: 'SFTP: unknown user', step: 'auth', says: /user/i, body: to({ sshUser: 'nobody-here' }) },
    { title: 'SFTP: key that is not known there', step: 'auth', says: /Check/, body: withKey(unknown) },
    {
      title: 'SFTP: wrong passphrase',
      step: 'auth',
      says: /passphrase/,
      body: withKey(key(sftp.lockedKeyFile), { sftpKeyPassphrase: 'wrong' }),
    },
    { title: 'SFTP: no passphrase', step: 'auth', says: /passphrase/, body: withKey(key(sftp.lockedKeyFile)) },
    { title: 'SFTP: something that is no key', step: 'auth', says: /private key/i, body: withKey('not a key') },
    {
      title: 'SFTP: another host key than the pinned one',
      step: 'connect',
      says: /fingerprint|reinstalled/,
      body: to({ hostKey: otherHostKey }),
    },
    { title: 'SFTP: closed port', step: 'connect', says: /port/, body: on(bad.closed) },
    { title: 'SFTP: black hole', step: 'connect', says: /firewall/, body: on(bad.blackHole) },
    { title: 'SFTP: silent host', step: 'connect', says: /firewall|in time/, body: on(bad.silent) },
    { title: 'SFTP: a host that does not speak SSH', step: 'connect', says: /SSH|handshake/, body: on(bad.web) },
    { title: 'SFTP: unknown host name', step: 'connect', says: /spelling/, body: to({ sshHost: 'nowhere.invalid' }) },
    { title: 'SFTP: read-only folder', step: 'write', says: /denied.*right/, body: to({ sshUser: sftp.readOnlyUser }) },
    { title: 'SFTP: full disk', step: 'write', says: /space/, body: to({ sshUser: sftp.fullUser }) },
    {
      title: 'SFTP: a file where the folder should be',
      step: 'write',
      says: /folder|file/i,
      body: to({ pathPrefix: inTheWay }),
    },
    {
      title: 'SFTP: a folder of somebody else',
      step: 'write',
      says: /denied/,
      body: to({ pathPrefix: '/etc/backups' }),
    },
  ]
}
