import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { labPart } from '../ask.ts'
import type { PrivateRegistry } from './start.ts'
import type { Account } from './tokens.ts'

const execute = promisify(execFile)

/**
 * Makes an image and pushes it, with the engine of the lab; the engine has none of it afterwards. Not by synchronous calls: the
 * token server answers in this process.
 */
export async function publish(
  { address }: PrivateRegistry,
  { username, password }: Account,
  { name, from = 'busybox:1', changes = [] }: { name: string; from?: string; changes?: string[] },
): Promise<{ image: string; digest: string }> {
  const part = labPart('engine')
  const config = mkdtempSync(join(tmpdir(), 'slipway-publish-'))
  const auth = Buffer.from(`${username}:${password}`).toString('base64')
  writeFileSync(join(config, 'config.json'), JSON.stringify({ auths: { [address]: { auth } } }), { mode: 0o600 })
  const env = { ...process.env, DOCKER_CONFIG: config }
  const docker = async (...argv: string[]) => {
    const { stdout } = await execute(part.docker, ['-H', part.dockerHost, ...argv], { env, timeout: 120_000 })
    return stdout.trim()
  }
  const image = `${address}/${name}`
  try {
    // Something that no other image has: whoever needs it must fetch it.
    const id = await docker('run', '--detach', from, 'dd', 'if=/dev/urandom', 'of=/unique', 'bs=1000', 'count=100')
    await docker('wait', id)
    await docker('commit', ...[`LABEL published=${name}`, ...changes].flatMap((one) => ['--change', one]), id, image)
    await docker('rm', id)
    await docker('push', '--quiet', image)
    const digests = JSON.parse(await docker('inspect', '--format', '{{json .RepoDigests}}', image)) as string[]
    const digest = digests.find((one) => one.startsWith(`${image.replace(/:[^/:]+$/, '')}@`)) ?? ''
    await docker('rmi', '--force', image, digest)
    return { image, digest }
  } finally {
    rmSync(config, { recursive: true, force: true })
  }
}
