import { connect, createServer } from 'node:net'

/** Passes what comes to this port of the machine on to the same port of another address. */
export function openDoor(port: number, address: string): void {
  const door = createServer((visitor) => {
    const edge = connect(port, address)
    visitor.pipe(edge).pipe(visitor)
    const part = () => {
      visitor.destroy()
      edge.destroy()
    }
    for (const side of [visitor, edge]) side.on('error', part).on('close', part)
  })
  door.on('error', ({ message }) => console.error(`URLs of deployments do not open here: ${message}`))
  door.listen(port, '127.0.0.1')
}
