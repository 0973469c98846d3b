import type { Database } from '../../../db/database.ts'
import type { Notifications } from '../../../db/notifications.ts'
import { secretsStamp } from '../rows/store.ts'

type Redact = (text: string) => string
type Owner = { id: string; orgId: string; projectId: string }

/** What clears lines of secrets, for as long as someone follows them. */
type Live = { current(): Promise<Redact>; close(): void }

/**
 * One redactor per deployment for all who follow it in this process. A variable that is set while they watch is hidden
 * from then on: whoever writes one says so, and since such a word may get lost, it is also looked up now and then.
 */
export type LiveRedactors = { open(deployment: Owner, make: () => Promise<Redact>): Live }

const LOOK_MS = 15_000

export function liveRedactors(parts: { db: Database; changes: Notifications }): LiveRedactors {
  const open = new Map<string, Shared>()
  return {
    open(deployment, make) {
      const shared = open.get(deployment.id) ?? new Shared(parts, deployment, make)
      open.set(deployment.id, shared)
      shared.users++
      return {
        current: () => shared.current(),
        close() {
          if (--shared.users > 0) return
          shared.close()
          if (open.get(deployment.id) === shared) open.delete(deployment.id)
        },
      }
    },
  }
}

class Shared {
  users = 0
  #stale = true
  #stamp = ''
  #lookedAt = 0
  #redact: Promise<Redact> | undefined
  readonly #db: Database
  readonly #deployment: Owner
  readonly #make: () => Promise<Redact>
  readonly close: () => void

  constructor(parts: { db: Database; changes: Notifications }, deployment: Owner, make: () => Promise<Redact>) {
    this.#db = parts.db
    this.#deployment = deployment
    this.#make = make
    this.close = parts.changes.subscribe(deployment.projectId, () => {
      this.#stale = true
    })
  }

  /** All who ask at the same moment wait for the same one; a failure is told to them and tried again by the next. */
  current(): Promise<Redact> {
    if (this.#redact && !this.#stale && Date.now() - this.#lookedAt < LOOK_MS) return this.#redact
    const before = this.#redact
    const forced = this.#stale
    this.#stale = false
    this.#lookedAt = Date.now()
    const next = this.#renew(forced ? undefined : before)
    next.catch(() => {
      this.#stale = true
    })
    this.#redact = next
    return next
  }

  async #renew(before: Promise<Redact> | undefined): Promise<Redact> {
    const asked = secretsStamp(this.#db, this.#deployment)
    // Nobody said that anything changed: an outage is no reason to stop showing lines.
    const stamp = before ? await asked.catch(() => this.#stamp) : await asked
    if (before && stamp === this.#stamp) return before
    const made = await this.#make()
    this.#stamp = stamp
    return made
  }
}
