import { resolve } from 'node:path'
import { blobReader } from './blob-reader.ts'
import { authorization, gitEnvironment } from './environment.ts'
import { explain } from './explain.ts'
import { fetchCommit } from './fetch.ts'
import type { Git, GitSource } from './git.ts'
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
      onRemote(source, await trusting(), (remote) => resolveBranch(remote, source, settings, signal)),
    fetch: async (source, commitSha, directory, signal) =>
      onRemote(source, await trusting(), (remote) =>
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

async function onRemote<T>(source: GitSource, settings: Settings, work: (remote: Remote) => Promise<T>): Promise<T> {
  const { credential } = source
  const place = placeOf(source, settings.allowHttp)
  const secrets = credential?.kind === 'token' ? [credential.token, authorization(credential).slice(21)] : []
  const environment = gitEnvironment(settings.environment, place, credential)
  const remote =
    (more: Record<string, string>): Remote =>
    async (args, limits) => {
      const ended = await runGit(args(place.url), { ...environment, ...more }, limits)
      if (ended.code === 0) return ended
      // Our own disk, and nothing that the server could help.
      if (NO_SPACE.test(ended.stderr)) throw Object.assign(new Error('The disk is full.'), { code: 'ENOSPC' })
      throw explain(ended.stderr, place.host, secrets)
    }
  if (credential?.kind !== 'key') return work(remote({}))
  return withSshFolder(credential, environment.PATH, (more) => work(remote(more)))
}
