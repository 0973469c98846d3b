import { randomBytes } from 'node:crypto'
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as sdk from '@aws-sdk/client-s3'
import { labPart } from '../lab/ask.ts'
import { hostKeyOfLine } from '../server/src/drivers/ssh/host-key.ts'
import type {
  LocalPlace,
  PlatformServerPlace,
  S3Place,
  SftpPlace,
  StoragePlace,
} from '../server/src/drivers/storage/storage.ts'

/** A destination of the lab, and what a stranger finds there, behind the driver's back. */
export type Ground<Place extends StoragePlace = StoragePlace> = {
  place: Place
  /** Where it is reached over the network. */
  reached: { host: string; port: number } | null
  /** The same destination over another way. */
  through(port: number): StoragePlace
  /** Everything that is there, unfinished things too. */
  left(): Promise<string[]>
  /** What a process that was killed long ago would have left. */
  plantLeftover(): Promise<void>
  /** Makes objects of one byte, behind the driver's back. */
  plant(keys: string[]): Promise<void>
  /** Takes away every finished object. */
  empty(): Promise<void>
  remove(): Promise<void>
}

const OLD = new Date('2026-01-01')

export async function s3Ground(user: 'main' | 'other' | 'small' = 'main'): Promise<Ground<S3Place>> {
  const part = labPart('s3')
  const { accessKeyId, secretAccessKey } = part[user]
  const bucket = `test-${randomBytes(6).toString('hex')}`
  const where = { endpoint: part.endpoint, region: part.region, forcePathStyle: true }
  const client = new sdk.S3Client({ ...where, credentials: { accessKeyId, secretAccessKey } })
  await client.send(new sdk.CreateBucketCommand({ Bucket: bucket }))
  const place: S3Place = { kind: 's3_compatible', ...where, bucket, accessKeyId, secretAccessKey, prefix: 'some/where' }
  const { hostname, port } = new URL(part.endpoint)
  const objects = async () => (await client.send(new sdk.ListObjectsV2Command({ Bucket: bucket }))).Contents ?? []
  const uploads = async () => (await client.send(new sdk.ListMultipartUploadsCommand({ Bucket: bucket }))).Uploads ?? []
  const empty = async () => {
    for (let some = await objects(); some.length > 0; some = await objects()) {
      const Objects = some.map(({ Key }) => ({ Key }))
      await client.send(new sdk.DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects } }))
    }
  }
  return {
    place,
    reached: { host: hostname, port: Number(port) },
    through: (other) => ({ ...place, endpoint: `http://127.0.0.1:${other}` }),
    left: async () => [
      ...(await objects()).map(({ Key }) => `${Key}`),
      ...(await uploads()).map(({ Key }) => `unfinished ${Key}`),
    ],
    async plantLeftover() {
      const upload = { Bucket: bucket, Key: 'some/where/left' }
      const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand(upload))
      await client.send(new sdk.UploadPartCommand({ ...upload, UploadId, PartNumber: 1, Body: 'half' }))
    },
    async plant(keys) {
      const some = keys.slice()
      const plantSome = async () => {
        for (let key = some.pop(); key !== undefined; key = some.pop())
          await client.send(new sdk.PutObjectCommand({ Bucket: bucket, Key: `some/where/${key}`, Body: 'x' }))
      }
      await Promise.all(Array.from({ length: 32 }, plantSome))
    },
    empty,
    async remove() {
      for (const { Key, UploadId } of await uploads())
        await client.send(new sdk.AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId }))
      await empty()
      await client.send(new sdk.DeleteBucketCommand({ Bucket: bucket }))
      client.destroy()
    },
  }
}

/** Files on this machine, which the lab's servers see as well. */
function folderGround(folder: string) {
  return {
    left: async () =>
      readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) =>
        join(entry.parentPath, entry.name).slice(folder.length + 1),
      ),
    async plantLeftover() {
      const file = join(folder, 'deep', `.slipway-${'0a'.repeat(12)}.part`)
      mkdirSync(join(folder, 'deep'), { recursive: true })
      writeFileSync(file, 'half')
      utimesSync(file, OLD, OLD)
    },
    async plant(keys: string[]) {
      for (const name of new Set(keys.map((key) => join(folder, key, '..')))) mkdirSync(name, { recursive: true })
      for (const key of keys) writeFileSync(join(folder, key), 'x')
    },
    async empty() {
      for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true })
    },
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

export async function sftpGround(): Promise<Ground<SftpPlace>> {
  const part = labPart('sftp')
  const prefix = `test-${randomBytes(6).toString('hex')}`
  const place: SftpPlace = {
    kind: 'sftp',
    host: part.address,
    port: part.port,
    user: part.user,
    password: part.password,
    privateKey: null,
    passphrase: null,
    hostKey: hostKeyOfLine(readFileSync(part.hostKeyFiles[0] ?? '', 'utf8')),
    prefix: `${prefix}/inner`,
  }
  const folder = join(part.home, prefix, 'inner')
  const ground = folderGround(folder)
  return {
    place,
    reached: { host: part.address, port: part.port },
    through: (port) => ({ ...place, host: '127.0.0.1', port }),
    ...ground,
    left: () => ground.left().catch(() => []),
    async plantLeftover() {
      await ground.plantLeftover()
      const { uid, gid } = statSync(part.home)
      const made = [folder, ...(await ground.left()).map((name) => join(folder, name))]
      for (const path of made) chownSync(path, uid, gid)
    },
    async remove() {
      rmSync(join(part.home, prefix), { recursive: true, force: true })
    },
  }
}

export async function localGround(): Promise<Ground<LocalPlace> & { root: string }> {
  const root = mkdtempSync(join(tmpdir(), 'slipway-storage-'))
  const path = join(root, 'organization', 'backups')
  mkdirSync(path, { recursive: true })
  const ground = folderGround(path)
  const place: LocalPlace = { kind: 'local', root, path }
  const remove = async () => rmSync(root, { recursive: true, force: true })
  return { place, reached: null, through: () => place, ...ground, root, remove }
}

export async function serverGround(): Promise<Ground<PlatformServerPlace>> {
  const part = labPart('host1')
  const folder = mkdtempSync(join(tmpdir(), 'slipway-server-'))
  const ssh = {
    host: part.address,
    port: part.port,
    user: part.user,
    privateKey: readFileSync(part.keyFile, 'utf8'),
    hostKey: hostKeyOfLine(readFileSync(part.hostKeyFile, 'utf8')),
  }
  const place: PlatformServerPlace = { kind: 'platform_server', target: { kind: 'ssh', ssh }, folder, prefix: '' }
  return {
    place,
    reached: { host: part.address, port: part.port },
    through: (port) => ({ ...place, target: { kind: 'ssh', ssh: { ...ssh, host: '127.0.0.1', port } } }),
    ...folderGround(folder),
  }
}
