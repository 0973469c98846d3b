import { connect, isIPv6 } from 'node:net'
import { type DnsUpdateFailure, dnsUpdateFailure } from './dns-update.ts'
import { type Message, readMessage } from './wire.ts'

export type Server = { host: string; port: number }
export type Limits = { signal: AbortSignal; deadlineMs: number }

const USUAL_PORT = 53

/** `host`, `host:port`, `[address]:port`, or an address as it is. */
export function serverOf(text: string): Server {
  if (isIPv6(text)) return { host: text, port: USUAL_PORT }
  const [, inside, host = inside ?? '', port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(text) ?? []
  return { host, port: port === undefined ? USUAL_PORT : Number(port) }
}

export const spell = ({ host, port }: Server): string => {
  const name = isIPv6(host) ? `[${host}]` : host
  return port === USUAL_PORT ? host : `${name}:${port}`
}

/** One question and its answer, over a TCP connection of their own. */
export async function exchange(server: Server, question: Buffer, { signal, deadlineMs }: Limits): Promise<Message> {
  signal.throwIfAborted()
  const bytes = await new Promise<Buffer>((resolve, reject) => {
    const socket = connect(server)
    const end = (error: unknown) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', leave)
      socket.destroy()
      reject(error)
    }
    const leave = () => end(signal.reason)
    const timer = setTimeout(() => end(late(server, deadlineMs)), deadlineMs)
    signal.addEventListener('abort', leave)
    let got = Buffer.alloc(0)
    socket.on('data', (chunk) => {
      got = Buffer.concat([got, chunk])
      if (got.length < 2 || got.length < 2 + got.readUInt16BE(0)) return
      resolve(got.subarray(2, 2 + got.readUInt16BE(0)))
      end(null)
    })
    socket.on('error', (error) => end(unreachable(server, error)))
    socket.on('close', () => end(unreachable(server)))
    const length = Buffer.alloc(2)
    length.writeUInt16BE(question.length)
    socket.write(Buffer.concat([length, question]))
  })
  return understood(server, question, bytes)
}

function understood(server: Server, question: Buffer, bytes: Buffer): Message {
  try {
    const message = readMessage(bytes)
    if (message.isAnswer && message.id === question.readUInt16BE(0)) return message
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  throw dnsUpdateFailure('dns_failed', `What answers at ${spell(server)} is no name server.`)
}

const late = (server: Server, ms: number) =>
  dnsUpdateFailure('dns_timeout', `The name server ${spell(server)} did not answer within ${ms / 1000} s.`)

function unreachable(server: Server, cause?: NodeJS.ErrnoException): DnsUpdateFailure {
  const why =
    cause === undefined
      ? 'it closed the connection'
      : cause.code === 'ENOTFOUND'
        ? 'there is no such host'
        : cause.message
  return dnsUpdateFailure('dns_unreachable', `The name server ${spell(server)} cannot be reached: ${why}.`, cause)
}
