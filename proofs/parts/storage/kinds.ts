import { chownSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { labPart } from '../../../lab/ask.ts'
import { type Ground, localGround, s3Ground, serverGround, sftpGround } from '../../../test-kit/storage-places.ts'
import { type Native, nativeLocal, nativeS3, nativeSftp } from './native.ts'

export type Kind = {
  name: string
  ground: Ground
  native: Native
  /** A machine that does something else meanwhile slows down either side: the best of so many counts for both. */
  rounds: number
}

/** One destination of each kind, on the lab's real parts. */
export const kinds: Record<string, () => Promise<Kind>> = {
  async local() {
    const ground = await localGround()
    const folder = ground.place.path
    return { name: 'local', ground, native: nativeLocal(folder), rounds: 3 }
  },
  async sftp() {
    const part = labPart('sftp')
    const ground = await sftpGround()
    const folder = join(part.home, ground.place.prefix)
    const { uid, gid } = statSync(part.home)
    for (const path of [join(folder, '..'), folder]) {
      mkdirSync(path, { recursive: true })
      chownSync(path, uid, gid)
    }
    const target = { host: part.address, user: part.user, keyFile: part.keyFile, folder: ground.place.prefix }
    return { name: 'sftp', ground, native: nativeSftp(target), rounds: 3 }
  },
  async platform_server() {
    const part = labPart('host1')
    const ground = await serverGround()
    const { folder } = ground.place
    const target = { host: part.address, user: part.user, keyFile: part.keyFile, folder }
    return { name: 'platform_server', ground, native: nativeSftp(target), rounds: 3 }
  },
  async s3_compatible() {
    const ground = await s3Ground()
    // Its store is the machine's memory, which has room for two archives and gives it back slowly.
    return { name: 's3_compatible', ground, native: nativeS3(ground.place), rounds: 1 }
  },
}
