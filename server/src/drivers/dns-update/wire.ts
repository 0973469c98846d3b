/** The part of DNS messages (RFC 1035, RFC 2136) that is needed to change a TXT record and to see it. */
export const TYPE = { A: 1, NS: 2, CNAME: 5, SOA: 6, TXT: 16, AAAA: 28, TSIG: 250 } as const
export const CLASS = { IN: 1, NONE: 254, ANY: 255 } as const
export const CODE = { ok: 0, failed: 2, missing: 3, unknown: 4, refused: 5, notAuth: 9, notZone: 10 } as const

export type DnsRecord = { name: string; type: number; class: number; data: Buffer; start: number; dataStart: number }
export type Message = {
  id: number
  code: number
  isAnswer: boolean
  /** Whoever says it has it at first hand. */
  authoritative: boolean
  answers: DnsRecord[]
  authority: DnsRecord[]
  additional: DnsRecord[]
  bytes: Buffer
}

const QUERY = 0
const UPDATE = 5
const HEADER = 12

export const query = (id: number, name: string, type: number): Buffer =>
  Buffer.concat([header(id, QUERY, [1, 0, 0, 0]), nameBytes(name), u16(type), u16(CLASS.IN)])

export type Change = { zone: string; name: string; value: string; ttl: number | 'gone' }

/** One TXT record comes, or goes: a record that is to go is told by the class NONE. */
export function update(id: number, { zone, name, value, ttl }: Change): Buffer {
  const data = textBytes(value)
  return Buffer.concat([
    header(id, UPDATE, [1, 0, 1, 0]),
    ...[nameBytes(zone), u16(TYPE.SOA), u16(CLASS.IN)],
    ...[nameBytes(name), u16(TYPE.TXT), u16(ttl === 'gone' ? CLASS.NONE : CLASS.IN), u32(ttl === 'gone' ? 0 : ttl)],
    ...[u16(data.length), data],
  ])
}

const header = (id: number, opcode: number, counts: number[]) =>
  Buffer.concat([u16(id), u16(opcode << 11), ...counts.map(u16)])

export function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

const LONGEST_LABEL = 63
const LONGEST_NAME = 255

/** Never compressed and in lower case: what is signed must look the same to everyone. */
export function nameBytes(name: string): Buffer {
  const labels = name.toLowerCase().replace(/\.$/, '').split('.')
  const parts = labels[0] === '' && labels.length === 1 ? [] : labels.map((label) => Buffer.from(label, 'latin1'))
  const bytes = Buffer.concat([...parts.flatMap((part) => [Buffer.from([part.length]), part]), Buffer.from([0])])
  if (parts.some(({ length }) => length === 0 || length > LONGEST_LABEL) || bytes.length > LONGEST_NAME)
    throw new RangeError(`${name} is not a name`)
  return bytes
}

const LONGEST_STRING = 255

/** A text is cut into strings. */
function textBytes(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8')
  const parts: Buffer[] = []
  for (let at = 0; at === 0 || at < bytes.length; at += LONGEST_STRING) {
    const part = bytes.subarray(at, at + LONGEST_STRING)
    parts.push(Buffer.from([part.length]), part)
  }
  return Buffer.concat(parts)
}

export function readText(data: Buffer): string {
  const parts: Buffer[] = []
  for (let at = 0; at < data.length; at += 1 + (data[at] ?? 0))
    parts.push(data.subarray(at + 1, at + 1 + (data[at] ?? 0)))
  return Buffer.concat(parts).toString('utf8')
}

export function readAddress({ type, data }: DnsRecord): string | null {
  if (type === TYPE.A && data.length === 4) return [...data].join('.')
  if (type !== TYPE.AAAA || data.length !== 16) return null
  return Array.from({ length: 8 }, (_, group) => data.readUInt16BE(group * 2).toString(16)).join(':')
}

/** Throws a RangeError where it is no message. */
export function readMessage(bytes: Buffer): Message {
  const flags = bytes.readUInt16BE(2)
  const [questions = 0, ...counts] = [4, 6, 8, 10].map((at) => bytes.readUInt16BE(at))
  let at = HEADER
  for (let n = 0; n < questions; n++) at = readName(bytes, at).end + 4
  const [answers = [], authority = [], additional = []] = counts.map((count) => {
    const records: DnsRecord[] = []
    for (let n = 0; n < count; n++) {
      const record = readRecord(bytes, at)
      at = record.dataStart + record.data.length
      records.push(record)
    }
    return records
  })
  return {
    id: bytes.readUInt16BE(0),
    code: flags & 0xf,
    isAnswer: (flags & 0x8000) !== 0,
    authoritative: (flags & 0x0400) !== 0,
    answers,
    authority,
    additional,
    bytes,
  }
}

function readRecord(bytes: Buffer, start: number): DnsRecord {
  const { name, end } = readName(bytes, start)
  const length = bytes.readUInt16BE(end + 8)
  const dataStart = end + 10
  if (dataStart + length > bytes.length) throw new RangeError('a record is longer than its message')
  const data = bytes.subarray(dataStart, dataStart + length)
  return { name, type: bytes.readUInt16BE(end), class: bytes.readUInt16BE(end + 2), data, start, dataStart }
}

/** A name may go on somewhere before; `end` is where the rest of the message goes on. */
export function readName(bytes: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = []
  let [at, end, total] = [start, -1, 0]
  for (;;) {
    const length = bytes.readUInt8(at)
    if (length === 0) break
    if (length >= 0xc0) {
      if (end < 0) end = at + 2
      const before = bytes.readUInt16BE(at) & 0x3fff
      // Only ever backwards, so that it comes to an end.
      if (before >= at) throw new RangeError('a name that leads nowhere')
      at = before
      continue
    }
    total += length + 1
    if (length > LONGEST_LABEL || total > LONGEST_NAME) throw new RangeError('a name is too long')
    labels.push(bytes.toString('latin1', at + 1, at + 1 + length).toLowerCase())
    at += length + 1
  }
  return { name: labels.join('.'), end: end < 0 ? at + 1 : end }
}
