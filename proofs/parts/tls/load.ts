import { setTimeout as sleep } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import { obey, startObedient } from '../obedient.ts'
import type { Door } from './client.ts'
import { Dialler, type Line, type Reply } from './line.ts'
import { type Kind, type Report, Tally } from './tally.ts'

type Traffic = {
  door: Door
  /** Whose connections are kept; each has some of both kinds. */
  hosts: string[]
  http1: { connections: number; perSecond: number }
  http2: { connections: number; perSecond: number }
  /** New connections, over all names. */
  freshPerSecond: number
  /** Of server-sent events, which nobody ever ends but the other side; they are opened again. */
  streams: number
}
type Order =
  | { do: 'begin'; traffic: Traffic }
  | { do: 'allow'; versions: string[] }
  | { do: 'also'; host: string }
  | { do: 'phase'; freshPerSecond: number }
  | { do: 'look' }
  | { do: 'end' }

export type TlsLoad = {
  begin(traffic: Traffic): Promise<void>
  /** Which versions may answer a request that begins from now on. */
  allow(...versions: string[]): Promise<void>
  /** From now on new connections are also made to this name. */
  also(host: string): Promise<void>
  /** Reports what was, and begins to count anew. */
  phase(freshPerSecond: number): Promise<LiveReport>
  look(): Promise<LiveReport>
  end(): Promise<LastReport>
  stop(): void
}

/** `streams`: how many are open and flow at this moment. */
type LiveReport = Report & { streams: number }
type LastReport = LiveReport & { ownCpu: number }

/** Steady traffic from a process of its own. */
export function startTlsLoad(): TlsLoad {
  const { tell, stop } = startObedient<Order>(import.meta.filename)
  return {
    begin: (traffic) => tell({ do: 'begin', traffic }),
    allow: (...versions) => tell({ do: 'allow', versions }),
    also: (host) => tell({ do: 'also', host }),
    phase: (freshPerSecond) => tell({ do: 'phase', freshPerSecond }),
    look: () => tell({ do: 'look' }),
    end: () => tell({ do: 'end' }),
    stop,
  }
}

/** A connection that is later than this gives up what it missed: the rate is then lower, and said so. */
const MOST_LATE_MS = 1000
/** New connections do not wait for each other, or a gap would look shorter than it is. */
const MOST_OPENING = 200
const REOPEN_MS = 250

class Running {
  readonly #dialler: Dialler
  readonly #hosts: string[]
  readonly #lines: Line[] = []
  readonly #cpu = process.cpuUsage()
  readonly #zero = performance.now()
  /** Whatever was allowed at any time during a request may answer it. */
  readonly #allowed: Set<string>[]
  readonly #opening = new Set<Promise<void>>()
  readonly #streams = new Set<TLSSocket>()
  readonly #running: Promise<unknown>
  #freshPerSecond: number
  #tally: Tally
  #sent = 0
  #over = false

  constructor({ door, hosts, http1, http2, freshPerSecond, streams }: Traffic, allowed: string[]) {
    this.#dialler = new Dialler(door)
    this.#hosts = [...hosts]
    this.#allowed = [new Set(allowed)]
    this.#freshPerSecond = freshPerSecond
    const hostOf = (n: number) => hosts[n % hosts.length] ?? ''
    const drives: Promise<void>[] = []
    for (const [kind, { connections, perSecond }] of [
      ['HTTP/1.1', http1],
      ['HTTP/2', http2],
    ] as const) {
      for (let n = 0; n < connections; n++) {
        const host = hostOf(n)
        const line = kind === 'HTTP/2' ? this.#dialler.http2(host) : this.#dialler.http1(host)
        this.#lines.push(line)
        const gap = (1000 * connections) / perSecond
        drives.push(this.#drive({ kind, host, line }, gap, (gap * n) / connections))
      }
    }
    for (let n = 0; n < streams; n++) this.#stream(hostOf(n))
    this.#tally = new Tally(0, this.#lines)
    this.#running = Promise.all([...drives, this.#knock()])
  }

  allow = (versions: string[]) => void this.#allowed.push(new Set(versions))
  also = (host: string) => void this.#hosts.push(host)
  look = (): LiveReport => ({ ...this.#tally.report(this.#now()), streams: this.#streams.size })

  phase(freshPerSecond: number): LiveReport {
    const report = this.look()
    this.#tally = new Tally(this.#now(), this.#lines)
    this.#freshPerSecond = freshPerSecond
    return report
  }

  async end(): Promise<LastReport> {
    this.#over = true
    await this.#running
    await Promise.all(this.#opening)
    for (const line of this.#lines) line.close()
    for (const stream of this.#streams) stream.destroy()
    const { user, system } = process.cpuUsage(this.#cpu)
    return { ...this.look(), ownCpu: (user + system) / 1000 / this.#now() }
  }

  #stream(host: string): void {
    if (this.#over) return
    const socket = this.#dialler.open(host, 'http/1.1')
    socket.write(`GET /events HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
    socket.on('data', () => this.#streams.add(socket)).on('error', () => {})
    socket.on('close', () => {
      this.#streams.delete(socket)
      setTimeout(() => this.#stream(host), REOPEN_MS)
    })
  }

  #now = () => performance.now() - this.#zero

  /** At its own pace, whatever the others do; all of them together make the rate. */
  async #drive({ kind, host, line }: { kind: Kind; host: string; line: Line }, gap: number, first: number) {
    let due = this.#now() + first
    while (!this.#over) {
      const wait = due - this.#now()
      if (wait > 0) await sleep(wait)
      due = Math.max(due + gap, this.#now() - MOST_LATE_MS)
      await this.#ask(kind, host, (path) => line.ask(path))
    }
  }

  /** One new connection after the other, over all names in turn. */
  async #knock(): Promise<void> {
    let due = this.#now()
    for (let n = 0; !this.#over; n++) {
      const wait = due - this.#now()
      if (wait > 0) await sleep(wait)
      due = Math.max(due + 1000 / this.#freshPerSecond, this.#now() - MOST_LATE_MS)
      if (this.#opening.size >= MOST_OPENING) continue
      const host = this.#hosts[n % this.#hosts.length] ?? ''
      const mine: Promise<void> = this.#ask('new connection', host, async (path) => {
        const reply = await this.#dialler.fresh(host, path)
        this.#tally.connected(host, reply.serial, this.#now())
        return reply
      }).finally(() => this.#opening.delete(mine))
      this.#opening.add(mine)
    }
  }

  async #ask(kind: Kind, host: string, ask: (path: string) => Promise<Reply>): Promise<void> {
    const path = `/look/${this.#sent++}`
    const since = this.#allowed.length - 1
    const began = this.#now()
    try {
      const version = this.#check(await ask(path), path, since)
      this.#tally.good(kind, version, began, this.#now())
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      const words = code === undefined || message.includes(code) ? message : `${code} ${message}`
      this.#tally.bad({ kind, host, words, began, ended: this.#now() })
    }
  }

  #check({ status, text }: Reply, path: string, since: number): string {
    if (status !== 200) throw new Error(`answered ${status}: ${text.slice(0, 100)}`)
    const [, version = '', echo] = text.split(' ')
    if (echo !== path) throw new Error(`answered something else: ${text.slice(0, 100)}`)
    const allowed = this.#allowed.slice(since).some((versions) => versions.has(version))
    if (!allowed) throw new Error(`was answered by version ${version}, which should not be there`)
    return version
  }
}

if (import.meta.main) {
  let running: Running | undefined
  let allowed: string[] = []
  obey<Order>(async (order) => {
    if (order.do === 'begin') running = new Running(order.traffic, allowed)
    if (order.do === 'allow') {
      allowed = order.versions
      running?.allow(allowed)
    }
    if (order.do === 'also') running?.also(order.host)
    if (order.do === 'phase') return running?.phase(order.freshPerSecond)
    if (order.do === 'look') return running?.look()
    return order.do === 'end' ? running?.end() : undefined
  })
}
