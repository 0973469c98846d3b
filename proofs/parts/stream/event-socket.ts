import { connect, type Socket } from 'node:net'

export type Asked = { url: string; token: string; id: string; since: number; lastEventId?: number }
export type Heard = {
  /** One event as it was sent, without the empty line behind it. */
  event(seq: number, block: string): void
  /** Once: the status, 0 when there was none. */
  over(status: number): void
}

/** Reads a deployment's events over a bare connection: thousands of these fit into one process. */
export function openEvents({ url, token, id, since, lastEventId }: Asked, heard: Heard): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const resume = lastEventId === undefined ? '' : `last-event-id: ${lastEventId}\r\n`
  socket.write(
    `GET /api/deployments/${id}/stream?since=${since} HTTP/1.1\r\nhost: ${hostname}\r\n` +
      `authorization: Bearer ${token}\r\naccept: text/event-stream\r\n${resume}\r\n`,
  )
  const answer = new Answer(heard)
  let told = false
  const over = () => {
    if (!told) heard.over(answer.status)
    told = true
    socket.destroy()
  }
  socket.on('data', (bytes) => {
    answer.take(bytes.toString('latin1'))
    if (answer.whole) over()
  })
  socket.on('error', () => {})
  socket.on('close', over)
  return socket
}

/** Takes an answer apart: head, chunks, events. Bytes are kept as they are, one character each. */
class Answer {
  status = 0
  whole = false
  #raw = ''
  #left = -1
  #chunked = false
  #text = ''
  readonly #heard: Heard

  constructor(heard: Heard) {
    this.#heard = heard
  }

  take(more: string): void {
    this.#raw = this.#raw === '' ? more : this.#raw + more
    if (this.status === 0 && !this.#head()) return
    if (this.#chunked) while (this.#chunk()) {}
    else this.#whatever()
    this.#events()
  }

  #head(): boolean {
    const end = this.#raw.indexOf('\r\n\r\n')
    if (end < 0) return false
    this.status = Number(this.#raw.slice(9, 12))
    this.#chunked = /^transfer-encoding: chunked/im.test(this.#raw.slice(0, end + 2))
    if (this.status !== 200) this.whole = true
    this.#raw = this.#raw.slice(end + 4)
    return this.status === 200
  }

  /** Without chunks it ends with its connection: whether it was whole, its last event says. */
  #whatever(): void {
    this.#text += this.#raw
    this.#raw = ''
  }

  /** Whether there may be another one. */
  #chunk(): boolean {
    if (this.#left < 0) {
      const end = this.#raw.indexOf('\r\n')
      if (end < 0) return false
      this.#left = Number.parseInt(this.#raw.slice(0, end), 16)
      this.#raw = this.#raw.slice(end + 2)
      if (this.#left === 0) this.whole = true
    }
    if (this.#raw.length < this.#left + 2 || this.whole) return false
    this.#text += this.#raw.slice(0, this.#left)
    this.#raw = this.#raw.slice(this.#left + 2)
    this.#left = -1
    return true
  }

  #events(): void {
    let from = 0
    for (let end = this.#text.indexOf('\n\n'); end >= 0; end = this.#text.indexOf('\n\n', from)) {
      const block = this.#text.slice(from, end)
      from = end + 2
      if (block.startsWith('id: ')) this.#heard.event(Number(block.slice(4, block.indexOf('\n'))), block)
    }
    if (from > 0) this.#text = this.#text.slice(from)
  }
}
