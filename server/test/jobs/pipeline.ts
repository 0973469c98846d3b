import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from '../../src/db/statement.ts'
import { type Pipeline, type Run, UNDO_PENDING } from '../../src/jobs/steps.ts'

type Place = { name: string; most: number }

/** What a test asks of a run. */
export type Input = {
  stepMs?: number
  buildMs?: number
  undoMs?: number
  /** How long the first owner takes for its build and for each undo. */
  firstMs?: number
  gate?: boolean
  failAt?: string
  /** The undo of this step says that somebody else must finish it. */
  laterAt?: string
  /** The first owner stops here for good: inside a step, in its transactions, between two, or inside an undo. */
  holdAt?: string
  /** Goes on after an abort, as a step that does not listen would. */
  deaf?: boolean
  limit?: Place & { inside?: Place }
  /** Its rollout is work for others: it looks now and then whether so long has passed. */
  rest?: { ms: number; workMs: number }
  /** And so is undoing it. */
  undoRest?: { ms: number; workMs: number }
  /** Beside that rollout something else goes on for so long. */
  besideMs?: number
  /** Before its build it says that this may take long. */
  takesTime?: boolean
}

/** Effects are what happens outside, as often as it happens. Notes are written with the run, exactly once. */
export const TABLES = `
  create table effect (seq bigserial primary key, run_id text, what text, pid int, fence int,
    at timestamptz default clock_timestamp());
  create index on effect (run_id);
  create table note (seq bigserial primary key, run_id text, what text, pid int, fence int);
  create index on note (run_id);`

/** fetch → detect → build → (gate) → rollout → health, as a deployment would. */
export function testPipeline(pool: Pool): Pipeline<Input> {
  return {
    async run(run) {
      const { input } = run
      const actor = new Actor(pool, run)
      await actor.step('fetch', input.stepMs)
      await actor.step('detect', input.stepMs)
      if (input.takesTime) await run.takeTime()
      await actor.step('build', actor.first ?? input.buildMs)
      await actor.holdAt('after:build')
      if (input.gate) await run.gate('approve', { onPark: (tx) => note(tx, run, 'parked') })
      await Promise.all([
        actor.step('rollout', input.stepMs),
        input.besideMs !== undefined && actor.step('beside', input.besideMs),
      ])
      await run.write((tx) => note(tx, run, 'written'))
      await actor.step('health', input.stepMs)
    },
    onUnwind: (tx, run, end) => note(tx, run, `unwind:${end.outcome}`),
    onEnd: (tx, run, end) => note(tx, run, `${end.outcome}${end.leftovers.map((name) => `!${name}`).join('')}`),
    explain: (error) => ({ code: 'test', message: error.message }),
  }
}

type Writer = Parameters<NonNullable<Pipeline['onEnd']>>[0]
const note = (tx: Writer, { id, fence }: { id: string; fence: number }, what: string) =>
  tx.withTables<Notes>().insertInto('note').values({ runId: id, what, pid: process.pid, fence }).execute()
type Notes = { note: { runId: string; what: string; pid: number; fence: number } }

const UNDONE = ['build', 'rollout']

class Actor {
  readonly #pool: Pool
  readonly #run: Run<Input>

  constructor(pool: Pool, run: Run<Input>) {
    this.#pool = pool
    this.#run = run
  }

  get first(): number | undefined {
    return this.#run.fence === 1 ? this.#run.input.firstMs : undefined
  }

  async step(name: string, ms = 10): Promise<void> {
    const run = this.#run
    const { input } = run
    const act = (signal: AbortSignal) => this.#act(name, ms, signal)
    const { limit, rest } = input
    const inside = limit?.inside
    const within = (s: AbortSignal) => (inside ? run.limit(inside.name, inside.most, s, () => act(s)) : act(s))
    const limited = (s: AbortSignal) => run.limit(limit?.name ?? '', limit?.most ?? 1, s, () => within(s))
    const resting = (s: AbortSignal) => this.#rest(name, rest ?? { ms: 0, workMs: 0 }, s)
    const action = name === 'build' && limit ? limited : name === 'rollout' && rest ? resting : act
    const undo = {
      undo: async (signal: AbortSignal, _: unknown, because: string) => {
        await this.effect(`because:${because}`)
        if (name === 'rollout' && input.undoRest) await this.#rest(`undo:${name}`, input.undoRest, signal)
        await this.#act(`undo:${name}`, this.first ?? input.undoMs ?? 10, signal)
        return input.laterAt === name ? UNDO_PENDING : undefined
      },
    }
    await run
      .step(name, action, {
        ...(UNDONE.includes(name) && undo),
        onStart: async (tx) => {
          await note(tx, run, `start:${name}`)
          await this.holdAt(`${name}:start`)
        },
        onEnd: async (tx) => {
          await note(tx, run, `end:${name}`)
          await this.holdAt(`${name}:end`)
        },
      })
      .catch(async (error) => {
        await this.effect(`threw:${name}:${error.name}`)
        throw error
      })
  }

  async #act(name: string, ms: number, signal: AbortSignal): Promise<{ by: number }> {
    await this.effect(`start:${name}`)
    await this.holdAt(name)
    const { failAt, deaf } = this.#run.input
    await delay(ms, undefined, deaf ? {} : { signal }).catch(async () => {
      await this.effect(`abort:${name}`)
      throw signal.reason
    })
    if (failAt === name) throw new Error(`${name} does not work`)
    await this.effect(`done:${name}`)
    return { by: process.pid }
  }

  async #rest(name: string, { ms, workMs }: NonNullable<Input['rest']>, signal: AbortSignal): Promise<{ by: number }> {
    const since = this.#run.since(name)?.getTime() ?? Date.now()
    await this.effect(`look:${name}`)
    while (Date.now() - since < workMs) await this.#run.rest(ms, signal)
    await this.effect(`done:${name}`)
    return { by: process.pid }
  }

  async holdAt(point: string): Promise<void> {
    if (this.#run.input.holdAt !== point || this.#run.fence > 1) return
    await this.effect(`hold:${point}`)
    await delay(600_000)
  }

  async effect(what: string): Promise<void> {
    const { id, fence } = this.#run
    const values = [id, what, process.pid, fence]
    const insert = 'insert into effect (run_id, what, pid, fence) values ($1, $2, $3, $4)'
    // What happens outside also happens while the database is away.
    while (!(await this.#pool.query(insert, values).catch(() => undefined))) await delay(100)
  }
}
