/** The smallest first. */
export class Heap<T> {
  readonly #all: { key: number; value: T }[] = []

  get size(): number {
    return this.#all.length
  }

  get key(): number {
    return this.#all[0]?.key ?? Number.POSITIVE_INFINITY
  }

  push(key: number, value: T): void {
    const all = this.#all
    let at = all.push({ key, value }) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (this.#keyAt(parent) <= key) return
      this.#swap(at, parent)
      at = parent
    }
  }

  pop(): T | undefined {
    const all = this.#all
    const first = all[0]
    const last = all.pop()
    if (first === undefined || last === undefined) return undefined
    if (all.length === 0) return first.value
    all[0] = last
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2]
      const least = this.#keyAt(right) < this.#keyAt(left) ? right : left
      if (this.#keyAt(least) >= last.key) return first.value
      this.#swap(at, least)
      at = least
    }
  }

  #keyAt = (at: number) => this.#all[at]?.key ?? Number.POSITIVE_INFINITY

  #swap(a: number, b: number): void {
    const [one, other] = [this.#all[a], this.#all[b]]
    if (one && other) [this.#all[a], this.#all[b]] = [other, one]
  }
}
