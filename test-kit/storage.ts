import { createCipheriv, createHash } from 'node:crypto'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Readable } from 'node:stream'

// For the tests of storage: made-up contents, and a line to a server that can be cut, held up and falsified.

/** So many bytes that look random and are the same each time, in chunks of no round size. */
export async function* content(bytes: number, seed = 'a', chunk = 61_441): AsyncGenerator<Uint8Array> {
  const key = createHash('sha256').update(seed).digest()
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16))
  for (let left = bytes; left > 0; left -= chunk) yield cipher.update(Buffer.alloc(Math.min(chunk, left)))
}

export async function* broken(bytes: number, error: Error): AsyncGenerator<Uint8Array> {
  yield* content(bytes)
  throw error
}

/** Never says anything after so many bytes. */
export async function* hanging(bytes: number): AsyncGenerator<Uint8Array> {
  yield* content(bytes)
  await new Promise(() => {})
}

export async function sha256Of(source: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of source) hash.update(chunk)
  return hash.digest('hex')
}

export async function bytesOf(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of source) chunks.push(chunk)
  return Buffer.concat(chunks)
}

export const textOf = async (source: Readable) => (await bytesOf(source)).toString()

export type Line = {
  port: number
  /** Bytes towards the server, and back from it. */
  sent(): number
  received(): number
  /** Cuts every connection once so many bytes more went to the server; then nobody gets through for a while. */
  cutAfter(bytes: number, downMs: number): void
  /** Lets nothing more come back, and says nothing about it. */
  hold(): void
  /** Changes what goes to the server. */
  falsify(change: ((chunk: Buffer) => Buffer) | undefined): void
  stop(): Promise<void>
}

export async function lineTo(host: string, port: number): Promise<Line> {
  const open = new Set<Socket>()
  const seen = { sent: 0, received: 0, cutAt: Number.POSITIVE_INFINITY, downMs: 0, downUntil: 0, held: false }
  let change: ((chunk: Buffer) => Buffer) | undefined
  const cut = () => {
    seen.cutAt = Number.POSITIVE_INFINITY
    seen.downUntil = Date.now() + seen.downMs
    for (const socket of open) socket.resetAndDestroy()
  }
  const server = createServer({ noDelay: true }, (near) => {
    near.on('error', () => {})
    if (Date.now() < seen.downUntil) return near.resetAndDestroy()
    const far = connect({ host, port, noDelay: true }).on('error', () => near.destroy())
    for (const socket of [near, far]) open.add(socket.once('close', () => open.delete(socket)))
    near.on('data', (chunk) => {
      seen.sent += chunk.length
      if (seen.sent >= seen.cutAt) return cut()
      if (!far.write(change ? change(chunk) : chunk)) near.pause()
    })
    far.on('drain', () => near.resume())
    far.on('data', (chunk) => {
      if (seen.held) return
      seen.received += chunk.length
      if (!near.write(chunk)) far.pause()
    })
    near.on('drain', () => far.resume())
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    sent: () => seen.sent,
    received: () => seen.received,
    cutAfter(bytes, downMs) {
      Object.assign(seen, { cutAt: seen.sent + bytes, downMs })
    },
    hold() {
      seen.held = true
    },
    falsify(how) {
      change = how
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of open) socket.destroy()
      }),
  }
}

/** Takes connections and never says a word. */
export async function silentHost(): Promise<{ port: number; stop(): Promise<void> }> {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket.on('error', () => {}).once('close', () => open.delete(socket)))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of open) socket.destroy()
    })
  return { port: (server.address() as AddressInfo).port, stop }
}
