import { connect, isIP, type Socket } from 'node:net'

/** More would leave too little time for each. */
const MOST_ADDRESSES = 6

export type Connected = { socket: Socket; address: string } | { code: string }

/** A connection to the first address that takes one. The time is shared out among those that are left. */
export async function connectToOne(
  addresses: string[],
  port: number,
  until: number,
  signal: AbortSignal,
): Promise<Connected> {
  const unfit = addresses.find((address) => isIP(address) === 0)
  // A name would be looked up again, and might lead elsewhere by now.
  if (addresses.length === 0 || unfit !== undefined) throw new TypeError(`not an address: ${unfit ?? '(none)'}`)
  const tried = addresses.slice(0, MOST_ADDRESSES)
  let told = 'ETIMEDOUT'
  for (const [index, address] of tried.entries()) {
    const share = (until - Date.now()) / (tried.length - index)
    if (share <= 0) break
    const result = await open(address, port, share, signal)
    if (typeof result !== 'string') return { socket: result, address }
    // That a machine answered "no" tells more than that another was silent.
    if (index === 0 || result === 'ECONNREFUSED') told = result
  }
  return { code: told }
}

function open(address: string, port: number, waitMs: number, signal: AbortSignal): Promise<Socket | string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port })
    const settle = (end: () => void) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      socket.removeAllListeners()
      end()
    }
    const fail = (end: () => void) => {
      settle(end)
      // Whatever it still has to say, nobody listens any more.
      socket.on('error', () => {}).destroy()
    }
    const stop = () => fail(() => reject(signal.reason))
    const timer = setTimeout(() => fail(() => resolve('ETIMEDOUT')), waitMs)
    signal.addEventListener('abort', stop)
    socket.once('connect', () => settle(() => resolve(socket)))
    socket.once('error', (error: NodeJS.ErrnoException) => fail(() => resolve(error.code ?? 'UNKNOWN')))
  })
}
