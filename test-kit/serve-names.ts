import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

const TYPES = { A: 1, CNAME: 5, TXT: 16, AAAA: 28 } as const
const CODES = { noerror: 0, servfail: 2, nxdomain: 3, refused: 5 } as const
type RecordType = keyof typeof TYPES

export type ZoneEntry = { [type in RecordType]?: string[] } | Exclude<keyof typeof CODES, 'noerror'> | 'silent'

/** A name server on loopback. `zone` may be changed at any time; what is not in it does not exist. */
export async function serveNames(zone: Record<string, ZoneEntry | (() => ZoneEntry)>) {
  const socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (question, from) => {
    const { name, type, end } = readQuestion(question)
    asked.push(`${type} ${name}`)
    const found = zone[name]
    const entry = (typeof found === 'function' ? found() : found) ?? 'nxdomain'
    if (entry === 'silent') return
    socket.send(answer(question.subarray(0, end), entry, type), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    server: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    zone,
    asked,
    close: () => socket.close(),
  }
}

function readQuestion(packet: Buffer) {
  const labels: string[] = []
  let at = 12
  for (let length = packet[at] ?? 0; length > 0; length = packet[at] ?? 0) {
    labels.push(packet.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  const type = Object.entries(TYPES).find(([, code]) => code === packet.readUInt16BE(at + 1))?.[0] as RecordType
  return { name: labels.join('.').toLowerCase(), type, end: at + 5 }
}

function answer(question: Buffer, entry: Exclude<ZoneEntry, 'silent'>, type: RecordType): Buffer {
  const code = typeof entry === 'string' ? entry : 'noerror'
  const records = typeof entry === 'string' ? [] : (entry[type] ?? [])
  const header = Buffer.from(question)
  header.writeUInt16BE(0x8180 | CODES[code], 2)
  header.writeUInt16BE(records.length, 6)
  header.writeUInt16BE(0, 8)
  header.writeUInt16BE(0, 10)
  return Buffer.concat([header, ...records.map((value) => record(type, value))])
}

function record(type: RecordType, value: string): Buffer {
  const data = encode[type](value)
  const head = Buffer.alloc(12)
  head.writeUInt16BE(0xc00c, 0)
  head.writeUInt16BE(TYPES[type], 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt32BE(0, 6)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

const short = (text: string) => Buffer.concat([Buffer.from([text.length]), Buffer.from(text, 'latin1')])
const encode: Record<RecordType, (value: string) => Buffer> = {
  A: (value) => Buffer.from(value.split('.').map(Number)),
  AAAA: (value) => Buffer.from(sixteen(value)),
  CNAME: (value) => Buffer.concat([...value.split('.').map(short), Buffer.from([0])]),
  // Long texts are cut into strings, as every server does.
  TXT: (value) => Buffer.concat((value.match(/.{1,200}/gs) ?? ['']).map(short)),
}

function sixteen(address: string): number[] {
  const [front = '', back] = address.split('::')
  const groups = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)))
  const [left, right] = [groups(front), groups(back ?? '')]
  const all = [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right]
  return all.flatMap((group) => [group >> 8, group & 255])
}
