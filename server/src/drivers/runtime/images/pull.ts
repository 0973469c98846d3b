import { createInterface } from 'node:readline'
import type Docker from 'dockerode'
import { isFailure } from '../../../errors.ts'
import { callEngine, streamEngine, wordsOf } from '../../engine/ask.ts'
import type { RegistryLogin } from '../../engine/registry-login.ts'
import { type RuntimeFailure, runtimeFailure } from '../failure.ts'

export type PullOptions = {
  signal: AbortSignal
  /** For people: one line per layer that arrived, and now and then how far it is. */
  onLine?: (line: string) => void
  /** What its registry is signed in to with. */
  login?: RegistryLogin | null
}

/** Brings an image from its registry. The engine answers 200 and tells what went wrong in the middle of its report. */
export async function pullImage(docker: Docker, image: string, options: PullOptions): Promise<void> {
  const { signal, onLine = () => {}, login = null } = options
  const { repository, version } = referenceOf(image)
  const query = { fromImage: repository, tag: version }
  try {
    const stream = await streamEngine(docker, { method: 'POST', path: '/images/create', query, login }, signal)
    const stop = () => stream.destroy(new Error('The reader left.'))
    signal.addEventListener('abort', stop)
    try {
      const tell = progress(onLine)
      for await (const line of createInterface({ input: stream })) tell(JSON.parse(line) as Report)
    } finally {
      signal.removeEventListener('abort', stop)
      stream.destroy()
    }
  } catch (error) {
    signal.throwIfAborted()
    throw explain(error, image)
  }
}

/** The engine asks the registry and no one else. */
export async function isOffered(
  docker: Docker,
  image: string,
  login: RegistryLogin | null,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await callEngine(docker, { path: `/distribution/${encodeURIComponent(image)}/json`, login }, signal)
    return true
  } catch (error) {
    signal.throwIfAborted()
    const why = explain(error, image)
    if (isFailure<RuntimeFailure>(why, 'runtime', 'image_denied', 'image_missing')) return false
    throw why
  }
}

/** `host/name:tag@digest` apart. Without a version the engine would fetch all there are. */
export function referenceOf(image: string): { repository: string; version: string } {
  const [named = '', digest] = image.split('@', 2)
  const colon = named.lastIndexOf(':')
  const tagged = colon > named.lastIndexOf('/')
  const repository = tagged ? named.slice(0, colon) : named
  return { repository, version: digest ?? (tagged ? named.slice(colon + 1) : 'latest') }
}

/** The name that means these bytes for ever, if the registry gave one. */
export function pinnedName(image: string, digests: string[]): string | null {
  const wanted = familiar(referenceOf(image).repository)
  return digests.find((digest) => familiar(referenceOf(digest).repository) === wanted) ?? null
}

/** As the engine writes it: without the host and the folder that are meant when none is named. */
const familiar = (repository: string) => repository.replace(/^(?:index\.)?docker\.io\//, '').replace(/^library\//, '')

type Report = {
  id?: string
  status?: string
  error?: string
  progressDetail?: { current?: number; total?: number }
}

const TELL_EVERY_MS = 2000
const MB = 1_000_000

function progress(say: (line: string) => void): (report: Report) => void {
  const layers = new Map<string, { current: number; total: number }>()
  let told = performance.now()
  return ({ id, status = '', error, progressDetail: { current = 0, total = 0 } = {} }) => {
    if (error !== undefined) throw new Error(error)
    if (id === undefined || /complete|exists|Pulling from/i.test(status))
      say(id === undefined ? status : `${id}: ${status}`)
    if (id === undefined || status !== 'Downloading') return
    layers.set(id, { current, total })
    if (performance.now() - told < TELL_EVERY_MS) return
    told = performance.now()
    const sum = (part: 'current' | 'total') => [...layers.values()].reduce((all, layer) => all + layer[part], 0) / MB
    say(`${sum('current').toFixed(1)} MB of ${sum('total').toFixed(1)} MB`)
  }
}

/** Which "no" it was stands only in the engine's words. */
function explain(error: unknown, image: string): unknown {
  const words = wordsOf(error)
  if (/no space left on device/i.test(words)) {
    return runtimeFailure('disk_full', `The disk of the server is full: ${words}.`, error)
  }
  if (/no matching manifest|does not match the (?:detected|specified) platform/i.test(words)) {
    return runtimeFailure('image_missing', `The image ${image} is not made for this machine: ${words}.`, error)
  }
  if (/unauthorized|denied|authentication required|no basic auth/i.test(words)) {
    const message = `The registry has no image ${image}, or does not show it to everybody: ${words}.`
    return runtimeFailure('image_denied', message, error)
  }
  if (/not found|manifest unknown|name unknown|invalid reference|does not exist/i.test(words)) {
    return runtimeFailure('image_missing', `The registry has no image ${image}: ${words}.`, error)
  }
  if (
    /no such host|dial tcp|i\/o timeout|connection refused|TLS|certificate|server misbehaving|EOF|request canceled|HTTP response/i.test(
      words,
    )
  ) {
    const message = `The image ${image} is not on the server, and its registry cannot be reached: ${words}.`
    return runtimeFailure('registry_unreachable', message, error)
  }
  return error
}
