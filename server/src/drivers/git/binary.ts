import { resolve } from 'node:path'
import { blobReader } from './blob-reader.ts'
import { authorization, gitEnvironment } from './environment.ts'
import { explain, tersely } from './explain.ts'
import { fetchCommit } from './fetch.ts'
import type { Git, GitSource } from './git.ts'
import { reach } from './reach.ts'
import { resolveBranch } from './resolve.ts'
import { runGit } from './run.ts'
import type { GitOptions, Remote, Settings } from './settings.ts'
import { checkCommit, placeOf } from './source.ts'
import { withSshFolder } from './ssh-folder.ts'
import { readTree } from './tree.ts'
import { writeBundle } from './trust.ts'

/** Git by its own program, called with arguments and never through a shell. */
export function gitBinary({ trust, ...options }: GitOptions = {}): Git {
  const settings: Settings = {
    environment: {},
    resolveDeadlineMs: 60_000,
    fetchDeadlineMs: 600_000,
    maxPackBytes: 1e9,
    maxTreeBytes: 4e9,
    maxFiles: 200_000,
    allowHttp: false,
    terse: false,
    ...options,
  }
  const never = new AbortController().signal
  // On first use, and again if that failed: an instance without such hosts does not pay for it.
  let bundle: Promise<string> | undefined
  const trusting = async (): Promise<Settings> => {
    if (!trust) return settings
    bundle ??= writeBundle(trust)
    const file = await bundle.catch((error: unknown) => {
      bundle = undefined
      throw error
    })
    return { ...settings, environment: { ...settings.environment, GIT_SSL_CAINFO: file } }
  }
  return {
    resolve: async (source, signal) =>
      onRemote(source, await trusting(), signal, (remote) => resolveBranch(remote, source, settings, signal)),
    fetch: async (source, commitSha, directory, signal) =>
      onRemote(source, await trusting(), signal, (remote) =>
        fetchCommit({ remote, settings, signal }, source, checkCommit(commitSha), resolve(directory)),
      ),
    async tree(folder, commitSha, signal = never) {
      const directory = resolve(folder)
      const { entries, objects } = await readTree(settings, directory, checkCommit(commitSha), signal)
      return { entries, read: blobReader(settings, directory, objects) }
    },
  }
}

const NO_SPACE = /no space left on device/i

const MOVED = /returned error: 30\d|unable to update url base from redirection/i

async function onRemote<T>(
  source: GitSource,
  settings: Settings,
  signal: AbortSignal,
  work: (remote: Remote) => Promise<T>,
): Promise<T> {
  const { credential } = source
  const place = placeOf(source, settings.allowHttp)
  const secrets = credential?.kind === 'token' ? [credential.token, authorization(credential).slice(21)] : []
  const words = (error: unknown) => (settings.terse ? tersely(error, place.host) : error)
  const { mayConnect, lookup } = settings
  const reached =
    mayConnect &&
    (await reach(place, { mayConnect, lookup }, signal).catch((error: unknown) => {
      throw words(error)
    }))
  const environment = gitEnvironment(settings.environment, place, credential, reached?.resolve)
  const remote =
    (more: Record<string, string>): Remote =>
    async (args, limits) => {
      const ask = (url: string) => runGit(args(url), { ...environment, ...more }, limits)
      const first = await ask(place.url).catch((error: unknown) => {
        throw words(error)
      })
      // Some hosts know a repository only with its ending and send whoever leaves it out there.
      const again = first.code !== 0 && MOVED.test(first.stderr) && !place.url.endsWith('.git')
      const ended = again ? await ask(`${place.url}.git`) : first
      if (ended.code === 0) return ended
      // Our own disk, and nothing that the server could help.
      if (NO_SPACE.test(ended.stderr)) throw Object.assign(new Error('The disk is full.'), { code: 'ENOSPC' })
      throw words(explain(ended.stderr, place.host, secrets))
    }
  if (credential?.kind !== 'key') return work(remote({}))
  const where = { path: environment.PATH, address: reached?.address ?? null }
  return withSshFolder(credential, where, (more) => work(remote(more)))
}
