import type { GitCredential } from './git.ts'
import { invalid, type Place } from './source.ts'

/** The settings of every call. Hooks, filters, submodules and helpers stay off whatever a machine or repository says. */
const SETTINGS: Record<string, string> = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.symlinks': 'false',
  'credential.helper': '',
  // One pack per fetch: its size can be watched, and thousands of loose files are not written.
  'fetch.unpackLimit': '1',
  'fetch.recurseSubmodules': 'false',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'protocol.version': '2',
  'submodule.recurse': 'false',
  // What a server would have fetched from elsewhere.
  'fetch.uriProtocols': '',
  'transfer.bundleURI': 'false',
  // A server that stops in the middle is given up before the deadline.
  'http.lowSpeedLimit': '1000',
  'http.lowSpeedTime': '30',
}

/**
 * All that a git process sees: nothing of ours is inherited but PATH and what the operator passes on (proxies, CA files).
 * A token travels here, because the environment of a process is hidden from other users, unlike its arguments.
 */
export function gitEnvironment(
  base: Record<string, string>,
  place?: Place,
  credential?: GitCredential | null,
  resolve: string | null = null,
) {
  const settings = { ...SETTINGS, ...(place && networkSettings(place, credential ?? null, resolve)) }
  const pairs = Object.entries(settings).flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ])
  return {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    ...base,
    ...Object.fromEntries(pairs),
    GIT_CONFIG_COUNT: String(Object.keys(settings).length),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: place?.transport ?? 'none',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    HOME: '/nonexistent',
    LC_ALL: 'C',
  }
}

function networkSettings(
  { transport }: Place,
  credential: GitCredential | null,
  resolve: string | null,
): Record<string, string> {
  if (transport === 'ssh') return {}
  return {
    ...(credential?.kind === 'token' && { 'http.extraHeader': authorization(credential) }),
    // git would take the header along to whatever host it is sent to, and nobody has judged where that leads.
    'http.followRedirects': 'false',
    ...(resolve !== null && { 'http.curloptResolve': resolve }),
  }
}

export function authorization({ username = 'x-access-token', token }: GitCredential & { kind: 'token' }): string {
  // A line break would start another header.
  if (!/^[\x21-\x7e]+$/.test(token) || !/^[\x21-\x39\x3b-\x7e]+$/.test(username)) {
    throw invalid('The token has characters that no token has.')
  }
  return `Authorization: Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`
}
