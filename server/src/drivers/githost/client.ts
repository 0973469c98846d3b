import { failureOf, seenIn } from './explain.ts'
import { gitHostFailure, type HostSource } from './githost.ts'
import { type Blocks, busy, governor, isLimited } from './governor.ts'
import { guardedFetch, type TransportOptions } from './transport.ts'

export type ClientOptions = Omit<TransportOptions, 'origins'> & {
  url: string
  apiUrl: string
  host: string
  blocks: Blocks
}

export type Answer = { data: unknown; headers: Record<string, string | number | undefined> }
/** One request of the REST API, by its route as the host's documentation writes it. */
export type Call = (route: string, params?: Record<string, unknown>) => Promise<Answer>
export type Caller = {
  as(source: Pick<HostSource, 'key' | 'background' | 'signal'>, authorization: () => Promise<string>): Call
  /** The host's pages, which answer 200 to almost everything. */
  web(path: string, form: Record<string, string>): Promise<Record<string, unknown>>
  /** The API with a client id and secret, or with nothing. */
  plain(route: string, params: Record<string, unknown>, authorization?: string): Promise<Answer>
}

const AT_ONCE = 8
const silent = { debug() {}, info() {}, warn() {}, error() {} }

/** Octokit is loaded on first use, with its own throttle and repetitions off: the governor decides about both. */
export function hostClient(options: ClientOptions): Caller {
  const fetch = guardedFetch({ ...options, origins: [options.url, new URL(options.apiUrl).origin] })
  const rules = governor(options.blocks)
  const turn = turnsByKey(AT_ONCE)
  let loading: Promise<typeof import('octokit')> | undefined
  const request = async (baseUrl: string) => {
    loading ??= import('octokit')
    const { Octokit } = await loading
    const off = { enabled: false }
    return new Octokit({ baseUrl, userAgent: 'slipway', log: silent, retry: off, throttle: off, request: { fetch } })
      .request
  }
  const failed = (error: unknown) => failureOf(error, seenIn(error), options.host)

  return {
    as: (source, authorization) => (route, params) =>
      turn(source.key, async () => {
        await rules.admit(source.key, source.background ?? false)
        const headers = { authorization: await authorization() }
        try {
          const asked = { ...params, headers, request: { signal: source.signal } }
          const answer: Answer = await (await request(options.apiUrl))(route, asked)
          await rules.learn(source.key, { status: 200, headers: answer.headers, message: '' })
          return answer
        } catch (error) {
          const seen = seenIn(error)
          const until = seen && (await rules.learn(source.key, seen))
          if (until) throw busy(until)
          throw failed(error)
        }
      }),
    async web(path, form) {
      try {
        const answer = await (await request(options.url))(`POST ${path}`, {
          ...form,
          headers: { accept: 'application/json' },
        })
        if (typeof answer.data === 'object' && answer.data !== null) return answer.data as Record<string, unknown>
        throw gitHostFailure('unreachable', 'The git host answered with something else than JSON.')
      } catch (error) {
        // Such as a device login that is switched off.
        const { data } = (error as { response?: { data?: { error?: unknown } } }).response ?? {}
        if (typeof data?.error === 'string') return data as Record<string, unknown>
        throw failed(error)
      }
    },
    async plain(route, params, authorization) {
      try {
        return await (await request(options.apiUrl))(route, {
          ...params,
          ...(authorization && { headers: { authorization } }),
        })
      } catch (error) {
        const seen = seenIn(error)
        if (seen && isLimited(seen)) throw busy(new Date(Date.now() + 60_000))
        throw failed(error)
      }
    },
  }
}

type Line = { running: number; waiting: (() => void)[] }

/** Semaphore per source: the host counts requests at once as well. */
function turnsByKey(atOnce: number) {
  const lines = new Map<string, Line>()
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const line = lines.get(key) ?? { running: 0, waiting: [] }
    lines.set(key, line)
    if (line.running >= atOnce) await new Promise<void>((next) => line.waiting.push(next))
    else line.running++
    try {
      return await work()
    } finally {
      const next = line.waiting.shift()
      if (next) next()
      else if (--line.running === 0) lines.delete(key)
    }
  }
}
