/** SHA-256 in plain arithmetic (FIPS 180-4), piece by piece: a file of a gigabyte is never in memory as a whole. */
export class Sha256 {
  readonly #state = Uint32Array.from(START)
  readonly #words = new Uint32Array(64)
  readonly #block = new Uint8Array(64)
  #held = 0
  #length = 0

  add(bytes: Uint8Array): this {
    this.#length += bytes.length
    let at = 0
    if (this.#held > 0) {
      at = Math.min(64 - this.#held, bytes.length)
      this.#block.set(bytes.subarray(0, at), this.#held)
      this.#held += at
      if (this.#held < 64) return this
      mix(this.#state, this.#words, this.#block, 0)
    }
    for (; at + 64 <= bytes.length; at += 64) mix(this.#state, this.#words, bytes, at)
    this.#block.set(bytes.subarray(at))
    this.#held = bytes.length - at
    return this
  }

  hex(): string {
    const length = this.#length
    const tail = new Uint8Array(this.#held < 56 ? 64 - this.#held : 128 - this.#held)
    tail[0] = 0x80
    const view = new DataView(tail.buffer)
    view.setUint32(tail.length - 8, Math.floor(length / 2 ** 29))
    view.setUint32(tail.length - 4, (length << 3) >>> 0)
    this.add(tail)
    return Array.from(this.#state, (word) => word.toString(16).padStart(8, '0')).join('')
  }
}

const primes: number[] = []
for (let candidate = 2; primes.length < 64; candidate++)
  if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate)
/** The first 32 bits of the fractional part. */
const fraction = (root: number) => ((root - Math.floor(root)) * 2 ** 32) >>> 0
const START = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)))
const ROUNDS = Uint32Array.from(primes, (prime) => fraction(Math.cbrt(prime)))

const turn = (word: number, by: number) => (word >>> by) | (word << (32 - by))

function mix(state: Uint32Array, words: Uint32Array, bytes: Uint8Array, at: number): void {
  spread(words, bytes, at)
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number]
  for (let i = 0; i < 64; i++) {
    const large = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)
    const first = (h + large + ((e & f) ^ (~e & g)) + (ROUNDS[i] as number) + (words[i] as number)) | 0
    const second = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  const next = [a, b, c, d, e, f, g, h]
  for (let i = 0; i < 8; i++) state[i] = ((state[i] as number) + (next[i] as number)) | 0
}

/** The sixteen words of a block, and the forty-eight that follow from them. */
function spread(words: Uint32Array, bytes: Uint8Array, at: number): void {
  const of = (i: number) => words[i] as number
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, 64)
  for (let i = 0; i < 16; i++) words[i] = view.getUint32(i * 4)
  for (let i = 16; i < 64; i++) {
    const [x, y] = [of(i - 15), of(i - 2)]
    const small = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3)
    const large = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10)
    words[i] = (of(i - 16) + small + of(i - 7) + large) | 0
  }
}
