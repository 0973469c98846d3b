import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BackupDestination } from '@slipway/contract/backup-destinations'
import { type Ground, PATH } from './ground.ts'

/** How a destination of a kind is made, broken and mended, all of it over HTTP. */
type Journey = { kind: string; body: object; broken: object; mended: object; change: object }

export async function journeys({ site, s3, sftp, root, key }: Ground): Promise<Journey[]> {
  const bucket = await s3.make()
  const serverId = await site.addHost('host1')
  const unchecked = await site.ask('POST', '/api/servers', { kind: 'ssh', name: 'unchecked', host: '192.0.2.1' })
  const taken = join(root, 'taken')
  writeFileSync(taken, 'a file where a folder should be')
  const login = { sshHost: sftp.address, sshPort: sftp.port, sshUser: sftp.user }
  return [
    {
      kind: 's3_compatible',
      body: { endpoint: s3.s3.endpoint, bucket: bucket.name, ...s3.s3.main },
      broken: { secretAccessKey: 'not the secret' },
      mended: { secretAccessKey: s3.s3.main.secretAccessKey },
      change: { pathPrefix: 'shop/nightly' },
    },
    {
      kind: 'sftp',
      body: { ...login, sftpPrivateKey: key(sftp.lockedKeyFile), sftpKeyPassphrase: sftp.passphrase },
      broken: { sftpKeyPassphrase: 'not the passphrase' },
      mended: { sftpPrivateKey: null, sftpKeyPassphrase: null, sftpPassword: sftp.password },
      change: { pathPrefix: `journey-${process.pid}/nightly` },
    },
    {
      kind: 'platform_server',
      body: { serverId },
      broken: { serverId: unchecked.id },
      mended: { serverId },
      change: { pathPrefix: 'nightly' },
    },
    {
      kind: 'local',
      body: { endpoint: join(root, 'journey') },
      broken: { endpoint: taken },
      mended: { endpoint: join(root, 'journey') },
      change: { pathPrefix: 'nightly' },
    },
  ]
}

/** Makes it, looks, changes it, looks, breaks it, looks, mends it, looks, deletes it. */
export async function travel({ site }: Ground, { kind, body, broken, mended, change }: Journey): Promise<string[]> {
  const faults: string[] = []
  const made = await site.ask<BackupDestination>('POST', PATH, { name: `journey ${kind}`, kind, ...body })
  const at = `${PATH}/${made.id}`
  const look = async (when: string, wanted: boolean) => {
    const { ok, reason } = await site.ask('POST', `${at}/preflight`)
    if (ok !== wanted) faults.push(`${kind}, ${when}: ${ok ? 'it works' : reason}`)
    const shown = await site.ask<BackupDestination>('GET', at)
    if ((shown.lastVerifyError === null) !== wanted || (shown.brokenSince === null) !== wanted)
      faults.push(`${kind}, ${when}: it is shown otherwise`)
    return shown
  }
  const first = await look('new', true)
  if (kind === 'sftp' && !/^ssh-\S+ SHA256:/.test(first.hostKey ?? ''))
    faults.push(`no host key was learned: ${first.hostKey}`)
  await site.ask('PATCH', at, change)
  await look('with another prefix', true)
  await site.ask('PATCH', at, broken)
  await look('broken', false)
  await site.ask('PATCH', at, mended)
  const last = await look('mended', true)
  if (last.hostKey !== first.hostKey) faults.push(`${kind}: another host key is pinned`)
  const gone = [(await site.call('DELETE', at)).status, (await site.call('POST', `${at}/preflight`)).status]
  if (gone.join() !== '200,404') faults.push(`${kind}, deleted: ${gone}`)
  return faults
}
