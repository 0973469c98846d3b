import { connect, createServer, type Socket } from 'node:net'
import { Transform } from 'node:stream'
import { wire } from './wire.ts'

const LATE_MS = { least: 10, most: 60 }
const CUT_EVERY_MS = { least: 15_000, most: 40_000 }

const between = ({ least, most }: { least: number; most: number }) => least + Math.random() * (most - least)

/** A line to somewhere, late by tens of milliseconds and cut every half minute: whatever is on it then is lost. */
export async function badLine(to: { host: string; port: number }) {
  const open = new Set<Socket>()
  let cuts = 0
  const server = createServer((near) => wire(near, connect(to), open, late))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const cut = () => {
    if (open.size > 0) cuts++
    for (const each of open) each.destroy()
    timer = setTimeout(cut, between(CUT_EVERY_MS))
  }
  let timer = setTimeout(cut, between(CUT_EVERY_MS))
  return {
    port: (server.address() as { port: number }).port,
    cuts: () => cuts,
    close() {
      clearTimeout(timer)
      for (const each of open) each.destroy()
      server.close()
    },
  }
}

/** The order of bytes is kept, as TCP keeps it; of several connections each is late by itself. */
const late = () =>
  new Transform({
    transform(chunk, _, done) {
      setTimeout(() => done(null, chunk), between(LATE_MS))
    },
  })
