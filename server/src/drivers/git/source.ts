import { type GitSource, gitFailure } from './git.ts'

/** Where a source leads, in a form that git cannot take for anything else. */
export type Place = { url: string; transport: 'https' | 'http' | 'ssh'; host: string; port: number }

/** Refuses every address but plain HTTPS and SSH: git itself knows local paths, programs (`ext::`) and options. */
export function placeOf({ url, credential }: GitSource, allowHttp: boolean): Place {
  if (url.length > 2000 || /[\0-\x20\x7f\\]/.test(url)) throw invalid('The address has characters that none has.')
  const place = scpPlace(url) ?? urlPlace(url)
  if (place.transport === 'http' && !allowHttp) throw invalid('The address is not encrypted.')
  if (place.transport === 'ssh' && credential?.kind !== 'key') throw invalid('An address over SSH needs a deploy key.')
  if (place.transport !== 'ssh' && credential?.kind === 'key') throw invalid('A deploy key needs an address over SSH.')
  return place
}

const USUAL_PORT = { https: 443, http: 80, ssh: 22 } as const
const HOST = /^(?:[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])$/i
const USER = /^[a-z0-9_][a-z0-9_.-]*$/i

function scpPlace(url: string): Place | undefined {
  const [, user = '', host = '', path = ''] = /^([^/:@]+)@([^/:@]+):(?!\/\/)(.+)$/.exec(url) ?? []
  if (!USER.test(user) || !HOST.test(host) || path.startsWith('-')) return undefined
  return { url, transport: 'ssh', host, port: USUAL_PORT.ssh }
}

function urlPlace(text: string): Place {
  const url = URL.parse(text)
  const transport = url?.protocol.slice(0, -1)
  if (!url || (transport !== 'https' && transport !== 'http' && transport !== 'ssh')) {
    throw invalid('The address is neither HTTPS nor SSH.')
  }
  // It would stand in the list of processes and in logs.
  if (url.password !== '' || (transport !== 'ssh' && url.username !== '')) {
    throw invalid('The address has a password or a user name in it; give the token beside it.')
  }
  if (transport === 'ssh' && !USER.test(url.username)) throw invalid('The address names no user, such as git@host.')
  if (!HOST.test(url.hostname) || url.pathname.length < 2 || url.search !== '' || url.hash !== '') {
    throw invalid('The address does not name a repository on a host.')
  }
  const port = url.port === '' ? USUAL_PORT[transport] : Number(url.port)
  return { url: url.href, transport, host: url.hostname, port }
}

/** What git itself takes for a branch's name, and nothing that could be an option or a pattern. */
export function checkBranch(branch: string): string {
  const parts = branch.split('/')
  const partOk = (part: string) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock')
  const bad = /[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|^-|^@$|\.$/.test(branch)
  if (bad || !parts.every(partOk) || Buffer.byteLength(branch) > 200 || !branch.isWellFormed()) {
    throw invalid(`${JSON.stringify(branch.slice(0, 100))} is not the name of a branch.`)
  }
  return branch
}

export function checkCommit(commitSha: string): string {
  if (!/^[0-9a-f]{40}$/.test(commitSha)) throw invalid('A commit is named by its 40 hexadecimal digits.')
  return commitSha
}

export const invalid = (message: string) => gitFailure('git_source_invalid', message)
