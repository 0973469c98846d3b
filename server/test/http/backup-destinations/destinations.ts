import { expect } from 'vitest'
import type { Org } from '../../../../test-kit/world.ts'

export const PATH = '/api/backup-destinations'
let made = 0
export const newName = () => `destination ${++made}`

export const s3 = () => ({
  kind: 's3_compatible',
  name: newName(),
  bucket: 'backups',
  accessKeyId: 'the-access-key',
  secretAccessKey: 'the-secret-of-it',
})
export const sftp = () => ({
  kind: 'sftp',
  name: newName(),
  sshHost: '192.0.2.9',
  sshUser: 'backup',
  sftpPassword: 'the-password',
})

/** One that must be taken. */
export async function create({ owner }: Org, body: object) {
  const answer = await owner.api('POST', PATH, body)
  expect([answer.status, answer.text.slice(0, 300)]).toEqual([201, expect.anything()])
  return answer.body
}

export async function newServer({ owner }: Org): Promise<string> {
  const answer = await owner.api('POST', '/api/servers', { kind: 'ssh', name: newName(), host: '192.0.2.1' })
  return answer.body.id
}
