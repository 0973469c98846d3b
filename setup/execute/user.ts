import { chownSync, mkdirSync } from 'node:fs'
import { run, tried } from '../argv.ts'
import { PATHS, USER } from '../paths.ts'

export async function makeUser(): Promise<void> {
  if ((await tried(['id', USER])) === null)
    await run([
      'useradd',
      '--system',
      '--user-group',
      '--home-dir',
      PATHS.data,
      '--no-create-home',
      '--shell',
      '/usr/sbin/nologin',
      USER,
    ])
  await ownData()
}

/** Its own, and nobody else's to look into. */
export async function ownData(): Promise<void> {
  const [uid, gid] = await Promise.all([run(['id', '--user', USER]), run(['id', '--group', USER])])
  mkdirSync(PATHS.data, { recursive: true, mode: 0o700 })
  chownSync(PATHS.data, Number(uid), Number(gid))
}
