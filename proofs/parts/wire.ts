import type { Socket } from 'node:net'
import type { Transform } from 'node:stream'

/** Joins two ends by what passes things on; when one of them ends, both do. `open` has those that are there. */
export function wire(near: Socket, far: Socket, open: Set<Socket>, through: () => Transform): void {
  const both = [near, far]
  const end = () => {
    for (const each of both) each.destroy()
  }
  for (const one of both) {
    open.add(one)
    one.on('error', end)
    one.on('close', () => {
      open.delete(one)
      end()
    })
  }
  near.pipe(through()).pipe(far)
  far.pipe(through()).pipe(near)
}
