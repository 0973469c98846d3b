import type { Ownership } from './ownership.ts'
import { retryOnOutage } from './patience.ts'
import type { StepOptions } from './steps.ts'
import { endStep, type JournalEntry, readJournal, startStep } from './store.ts'
import { HEARTBEAT_SECONDS } from './transport.ts'

/** Longer than this between asking and going on: we were paused. */
const PAUSED_MS = HEARTBEAT_SECONDS * 500

/** What has been started and what came of it. */
export class Journal {
  readonly #ownership: Ownership
  readonly #underWay = new Set<Promise<unknown>>()
  #entries = new Map<string, JournalEntry>()
  /** The step that started last. */
  latest: string | undefined

  constructor(ownership: Ownership) {
    this.#ownership = ownership
  }

  async load(): Promise<void> {
    const { id, parts } = this.#ownership
    this.#entries = await retryOnOutage(parts.giveUp, () => readJournal(parts.db, id))
  }

  /** Steps that are being performed. */
  get underWay(): number {
    return this.#underWay.size
  }

  get(name: string): JournalEntry | undefined {
    return this.#entries.get(name)
  }

  perform<T>(name: string, signal: AbortSignal, action: () => Promise<T>, hooks: StepOptions<T> = {}): Promise<T> {
    const work = this.#perform(name, signal, action, hooks)
    this.#underWay.add(work)
    return work.finally(() => this.#underWay.delete(work))
  }

  /** Steps may run side by side: nothing is undone, parked or handed back while one of them still acts. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay)
  }

  /** Steps that were started and have not been undone. */
  leftovers(): string[] {
    const undone = (name: string) => this.#entries.get(`undo:${name}`)?.ended
    return [...this.#entries.keys()].filter((name) => !name.startsWith('undo:') && !undone(name))
  }

  async #perform<T>(name: string, signal: AbortSignal, action: () => Promise<T>, hooks: StepOptions<T>): Promise<T> {
    const { id, fence } = this.#ownership
    this.latest = name
    let asked = Date.now()
    await this.#ownership.commit({}, async (tx) => {
      await startStep(tx, id, name, fence)
      await hooks.onStart?.(tx)
    })
    this.#entries.set(name, { ended: false, output: null, since: this.#entries.get(name)?.since })
    while (Date.now() - asked > PAUSED_MS) {
      asked = Date.now()
      await this.#ownership.commit({}, async () => {})
    }
    // The write may have told us of a cancel.
    signal.throwIfAborted()
    const json = JSON.stringify((await action()) ?? null)
    const output: T = JSON.parse(json)
    await this.#ownership.commit({ attempts: 0 }, async (tx) => {
      await endStep(tx, id, name, json)
      await hooks.onEnd?.(tx, output)
    })
    this.#entries.set(name, { ended: true, output, since: undefined })
    return output
  }
}
