import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { labPart } from '../../../lab/ask.ts'
import { publish } from '../../../lab/private-registry/publish.ts'
import { type PrivateRegistry, startPrivateRegistry } from '../../../lab/private-registry/start.ts'
import type { Account } from '../../../lab/private-registry/tokens.ts'
import type { Site } from '../../../test-kit/site.ts'

/** How long a token of the registry lives. */
export const SECONDS = 60

export type Ground = {
  site: Site
  serverId: string
  registry: PrivateRegistry
  account: Account
  /** An application that listens, under a tag and under what means it for ever. */
  app: { image: string; digest: string }
  docker(...argv: string[]): Promise<string>
  note(what: string, faults: string[]): void
}

/** Of a small image, so that it is fetched often. */
export const SERVES = 'CMD echo private > /tmp/index.html && exec httpd -f -p 3000 -h /tmp'

export async function privateRegistry() {
  const account = { username: 'deploy', password: `${randomBytes(12).toString('hex')} "ü+/%`, path: '' }
  const registry = await startPrivateRegistry([account], SECONDS)
  return { account, registry, app: await publishApp({ registry, account }, 'team/app:1') }
}

export const publishApp = ({ registry, account }: Pick<Ground, 'registry' | 'account'>, name: string) =>
  publish(registry, account, { name, changes: [SERVES, 'EXPOSE 3000'] })

/** Not by synchronous calls: the token server answers in this process. */
export async function dockerOf(...argv: string[]): Promise<string> {
  const part = labPart('engine')
  const { stdout } = await promisify(execFile)(part.docker, ['-H', part.dockerHost, ...argv], { maxBuffer: 1 << 30 })
  return stdout.trim()
}

export const base = ({ registry, account }: Pick<Ground, 'registry' | 'account'>, n: number) =>
  publish(registry, account, { name: `team/base:${n}`, changes: [`LABEL base=${n}`] })

/** Takes its names from the engine: whoever needs it next has to fetch it, also where a container of it still runs. */
export async function forget({ docker }: Pick<Ground, 'docker'>, ...images: string[]): Promise<void> {
  for (const image of images) await docker('rmi', '--force', image).catch(() => {})
}

/** How a deployment ended that was to succeed. */
export async function faultOf({ site }: Pick<Ground, 'site'>, id: string): Promise<string[]> {
  const { status, error } = await site.ended(id, 600)
  return status === 'ready' ? [] : [`${id} is ${status}: ${error?.message}`]
}

/** Side by side, so many at once; what they say of themselves, together. */
export async function inLanes<T>(lanes: number, all: T[], work: (one: T, lane: number) => Promise<string[]>) {
  const faults: string[] = []
  let next = 0
  const lane = async (n: number) => {
    while (next < all.length) faults.push(...(await work(all[next++] as T, n).catch((error) => [String(error)])))
  }
  await Promise.all(Array.from({ length: lanes }, (_, n) => lane(n)))
  return faults
}
