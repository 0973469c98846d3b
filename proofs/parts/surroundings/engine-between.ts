import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { wire } from '../wire.ts'

/** `silent`: everything is taken and nothing comes back. `slow`: each piece of an answer comes seconds later. */
type Mode = 'through' | 'silent' | 'slow' | 'refused'
const SLOW_MS = 3000

/** A socket between the platform and its engine, which can be made worse than any engine is. */
export async function engineBetween(socket: string) {
  const folder = mkdtempSync(join(tmpdir(), 'sw-between-'))
  const path = join(folder, 'docker.sock')
  let mode: Mode = 'through'
  const open = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (client) => {
    if (mode === 'refused') return void client.destroy()
    wire(client, connect({ path: socket, allowHalfOpen: true }), open, () => held(() => mode))
  })
  await new Promise<void>((done) => server.listen(path, done))
  return {
    path,
    become(next: Mode) {
      mode = next
      if (mode === 'refused') for (const each of open) each.destroy()
    },
    async close() {
      for (const each of open) each.destroy()
      await new Promise((done) => server.close(done))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** What was held while it was silent is passed on afterwards, as a network does. */
const held = (mode: () => Mode) =>
  new Transform({
    transform(chunk, _, done) {
      const pass = () => (mode() === 'silent' ? void setTimeout(pass, 50).unref() : done(null, chunk))
      if (mode() === 'slow') setTimeout(pass, SLOW_MS)
      else pass()
    },
  })
