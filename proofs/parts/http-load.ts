import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { KeepAlive, type Question, type Reply } from './keep-alive.ts'
import { type Ledger, openLedger } from './ledger.ts'
import { obey, startObedient } from './obedient.ts'

type Where = { address: string; port: number; host: string; perSecond: number; connections: number }
type Order =
  | { do: 'open'; gateway: string }
  | { do: 'begin'; where: Where }
  | { do: 'allow'; versions: string[] }
  | { do: 'look' }
  | { do: 'end' }

export type Report = {
  seconds: number
  answered: number
  failed: number
  /** The first failures in words, with the second in which they happened. */
  failures: string[]
  perSecond: number
  /** Of any ten seconds in a row. */
  slowest: number
  p50: number
  p99: number
  worst: number
  posts: number
  /** Orders that the applications got twice, or never though they were answered. */
  repeated: number
  unseen: number
  /** Answers by version, and the number of tasks that gave them. */
  versions: Record<string, number>
  tasks: number
  closedIdle: number
  resetIdle: number
  /** Share of one core that the load itself took. */
  ownCpu: number
}

export type HttpLoad = {
  /** Where the applications write down what they got. */
  ledger: Ledger['address']
  begin(where: Where): Promise<void>
  /** Which versions may answer a request that begins from now on. */
  allow(...versions: string[]): Promise<void>
  look(): Promise<Report>
  end(): Promise<Report>
  stop(): void
}

/** Steady traffic from a process of its own. */
export async function startHttpLoad(gateway: string): Promise<HttpLoad> {
  const { tell, stop } = startObedient<Order>(import.meta.filename)
  return {
    ledger: await tell<Ledger['address']>({ do: 'open', gateway }),
    begin: (where) => tell({ do: 'begin', where }),
    allow: (...versions) => tell({ do: 'allow', versions }),
    look: () => tell({ do: 'look' }),
    end: () => tell({ do: 'end' }),
    stop,
  }
}

/** One in five sends a body. */
const POST_EVERY = 5
/** A connection that is later than this gives up what it missed: the rate is then lower, and said so. */
const MOST_LATE_MS = 1000
const MOST_WORDS = 20

class Traffic {
  readonly #ledger: Ledger
  readonly #where: Where
  readonly #connections: KeepAlive[]
  readonly #began = performance.now()
  readonly #cpu = process.cpuUsage()
  readonly #perSecond: number[] = []
  readonly #latencies: number[] = []
  readonly #failures: string[] = []
  readonly #versions: Record<string, number> = {}
  readonly #tasks = new Set<string>()
  readonly #answeredOrders: number[] = []
  /** Whatever was allowed at any time during a request may answer it. */
  readonly #allowed: Set<string>[]
  #sent = 0
  #failed = 0
  #orders = 0
  #over = false
  #running: Promise<unknown>

  constructor(ledger: Ledger, where: Where, allowed: string[]) {
    this.#ledger = ledger
    this.#where = where
    this.#allowed = [new Set(allowed)]
    this.#connections = Array.from({ length: where.connections }, () => new KeepAlive(where, where.host))
    this.#running = Promise.all(this.#connections.map((connection, n) => this.#drive(connection, n)))
  }

  allow(versions: string[]): void {
    this.#allowed.push(new Set(versions))
  }

  async end(): Promise<Report> {
    this.#over = true
    await this.#running
    for (const connection of this.#connections) connection.close()
    // What was written down last may still be on its way.
    const deadline = Date.now() + 5000
    const missing = () => this.#answeredOrders.some((order) => this.#ledger.times(order) === 0)
    while (missing() && Date.now() < deadline) await sleep(50)
    return this.report()
  }

  /** At its own pace, whatever the others do; all of them together make the rate. */
  async #drive(connection: KeepAlive, n: number): Promise<void> {
    const { perSecond, connections } = this.#where
    const gap = (1000 * connections) / perSecond
    let due = performance.now() + (gap * n) / connections
    while (!this.#over) {
      const wait = due - performance.now()
      if (wait > 0) await sleep(wait)
      due = Math.max(due + gap, performance.now() - MOST_LATE_MS)
      await this.#ask(connection)
    }
  }

  async #ask(connection: KeepAlive): Promise<void> {
    const post = this.#sent++ % POST_EVERY === 0
    const order = post ? this.#orders++ : undefined
    const { question, echo } = order === undefined ? look(this.#sent) : purchase(order)
    const since = this.#allowed.length - 1
    const began = performance.now()
    try {
      const reply = await connection.ask(question)
      this.#note(reply, echo, since)
      if (order !== undefined) this.#answeredOrders.push(order)
      this.#latencies.push(performance.now() - began)
    } catch (error) {
      this.#failed++
      const second = ((performance.now() - this.#began) / 1000).toFixed(1)
      const words = `${second} s, after ${Math.round(performance.now() - began)} ms: ${question.method} ${(error as Error).message}`
      if (this.#failures.length < MOST_WORDS) this.#failures.push(words)
    }
  }

  #note({ status, task, text }: Reply, echo: string, since: number): void {
    if (status !== 200) throw new Error(`answered ${status}: ${text.slice(0, 100)}`)
    const [version = '', ...rest] = text.split(' ')
    if (rest.join(' ') !== echo) throw new Error(`answered something else: ${text.slice(0, 100)}`)
    const allowed = this.#allowed.slice(since).some((versions) => versions.has(version))
    if (!allowed) throw new Error(`was answered by version ${version}, which should not be there`)
    this.#versions[version] = (this.#versions[version] ?? 0) + 1
    this.#tasks.add(task)
    const second = Math.floor((performance.now() - this.#began) / 1000)
    this.#perSecond[second] = (this.#perSecond[second] ?? 0) + 1
  }

  report(): Report {
    const seconds = (performance.now() - this.#began) / 1000
    const { user, system } = process.cpuUsage(this.#cpu)
    const sorted = this.#latencies.toSorted((a, b) => a - b)
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
    const times = this.#answeredOrders.map((order) => this.#ledger.times(order))
    const orders = Array.from({ length: this.#orders }, (_, order) => this.#ledger.times(order))
    const sum = (pick: 'closedIdle' | 'resetIdle') => this.#connections.reduce((all, one) => all + one[pick], 0)
    return {
      seconds,
      answered: sorted.length,
      failed: this.#failed,
      failures: this.#failures,
      perSecond: sorted.length / seconds,
      slowest: slowestOf(this.#perSecond),
      ...{ p50: at(0.5), p99: at(0.99), worst: at(1) },
      posts: this.#orders,
      repeated: orders.filter((count) => count > 1).length,
      unseen: times.filter((count) => count === 0).length,
      versions: this.#versions,
      tasks: this.#tasks.size,
      closedIdle: sum('closedIdle'),
      resetIdle: sum('resetIdle'),
      ownCpu: (user + system) / 1e6 / seconds,
    }
  }
}

type Asked = { question: Question; echo: string }

const look = (n: number): Asked => ({ question: { method: 'GET', path: `/look/${n}` }, echo: `/look/${n}` })

function purchase(order: number): Asked {
  const body = randomBytes(200 + (order % 2000))
  const echo = createHash('sha256').update(body).digest('hex')
  return { question: { method: 'POST', path: '/orders', headers: `X-Order: ${order}\r\n`, body }, echo }
}

/** The first and the last second are not whole. */
function slowestOf(counts: number[]): number {
  const whole = Array.from(counts, (count) => count ?? 0).slice(1, -1)
  const tens = whole.slice(9).map((_, n) => whole.slice(n, n + 10).reduce((sum, one) => sum + one, 0) / 10)
  return Math.min(...tens)
}

if (import.meta.main) {
  let ledger: Ledger
  let traffic: Traffic | undefined
  let allowed: string[] = []
  obey<Order>(async (order) => {
    if (order.do === 'open') {
      ledger = await openLedger(order.gateway)
      return ledger.address
    }
    if (order.do === 'begin') traffic = new Traffic(ledger, order.where, allowed)
    if (order.do === 'allow') {
      allowed = order.versions
      traffic?.allow(allowed)
    }
    if (order.do === 'look') return traffic?.report()
    return order.do === 'end' ? traffic?.end() : undefined
  })
}
