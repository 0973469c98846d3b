import { createHmac, timingSafeEqual } from 'node:crypto'
import { CLASS, type DnsRecord, type Message, nameBytes, readName, TYPE, u16 } from './wire.ts'

/** A secret that two sides share, and that messages are signed with (RFC 8945). */
export type TsigKey = { name: string; algorithm: TsigAlgorithm; secret: string }
type TsigAlgorithm = 'hmac-sha256' | 'hmac-sha384' | 'hmac-sha512'

const HASHES: Record<TsigAlgorithm, string> = {
  'hmac-sha256': 'sha256',
  'hmac-sha384': 'sha384',
  'hmac-sha512': 'sha512',
}

/** As other tools write it: `hmac-sha256:name:secret`. Null where it is none, and why is not said: it has a secret in it. */
export function parseTsigKey(text: string): TsigKey | null {
  const [algorithm = '', name = '', secret = '', ...more] = text.split(':')
  if (more.length > 0 || !Object.hasOwn(HASHES, algorithm) || secret === '') return null
  if (!/^[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?$/i.test(name) || !/^[A-Za-z0-9+/]+={0,2}$/.test(secret)) return null
  return { algorithm: algorithm as TsigAlgorithm, name, secret }
}

const FUDGE_SECONDS = 300

export type Signed = { bytes: Buffer; mac: Buffer }

export function sign(message: Buffer, key: TsigKey, now: Date): Signed {
  const seconds = Math.floor(now.getTime() / 1000)
  const variables = { seconds, fudge: FUDGE_SECONDS, error: 0, other: Buffer.alloc(0) }
  const mac = macOf(key, [message, variablesOf(key, variables)])
  const data = Buffer.concat([
    ...[nameBytes(key.algorithm), u48(seconds), u16(FUDGE_SECONDS), u16(mac.length), mac],
    ...[message.subarray(0, 2), u16(0), u16(0)],
  ])
  const head = [nameBytes(key.name), u16(TYPE.TSIG), u16(CLASS.ANY), Buffer.alloc(4), u16(data.length)]
  const bytes = Buffer.concat([message, ...head, data])
  bytes.writeUInt16BE(message.readUInt16BE(10) + 1, 10)
  return { bytes, mac }
}

/** Of whom an answer is. `refused`: the other side did not believe us, and says so as far as it can. */
export type Verdict =
  | { kind: 'genuine' }
  | { kind: 'unsigned' }
  | { kind: 'forged' }
  | { kind: 'refused'; reason: 'key' | 'signature' | 'time' | 'other'; theirTime: Date | null }

const REASONS: Record<number, 'key' | 'signature' | 'time'> = { 16: 'signature', 17: 'key', 18: 'time' }

export function judge(answer: Message, key: TsigKey, { mac, now }: { mac: Buffer; now: Date }): Verdict {
  const record = answer.additional.at(-1)
  if (record?.type !== TYPE.TSIG) return { kind: 'unsigned' }
  const said = readTsig(answer.bytes, record)
  if (said.error !== 0) {
    const theirTime = said.other.length === 6 ? new Date(said.other.readUIntBE(0, 6) * 1000) : null
    return { kind: 'refused', reason: REASONS[said.error] ?? 'other', theirTime }
  }
  // As it was before it was signed, with the name that the question had.
  const unsigned = Buffer.from(answer.bytes.subarray(0, record.start))
  unsigned.writeUInt16BE(said.id, 0)
  unsigned.writeUInt16BE(answer.additional.length - 1, 10)
  const expected = macOf(key, [u16(mac.length), mac, unsigned, variablesOf(key, said)])
  const same =
    record.name === key.name.toLowerCase().replace(/\.$/, '') &&
    said.algorithm === key.algorithm &&
    said.mac.length === expected.length &&
    timingSafeEqual(said.mac, expected)
  if (!same) return { kind: 'forged' }
  const apart = Math.abs(said.seconds - now.getTime() / 1000)
  return apart <= said.fudge
    ? { kind: 'genuine' }
    : { kind: 'refused', reason: 'time', theirTime: new Date(said.seconds * 1000) }
}

type Variables = { seconds: number; fudge: number; error: number; other: Buffer }

const macOf = (key: TsigKey, parts: Buffer[]) =>
  createHmac(HASHES[key.algorithm], Buffer.from(key.secret, 'base64')).update(Buffer.concat(parts)).digest()

const variablesOf = (key: TsigKey, { seconds, fudge, error, other }: Variables) =>
  Buffer.concat([
    ...[nameBytes(key.name), u16(CLASS.ANY), Buffer.alloc(4), nameBytes(key.algorithm)],
    ...[u48(seconds), u16(fudge), u16(error), u16(other.length), other],
  ])

function u48(value: number): Buffer {
  const bytes = Buffer.alloc(6)
  bytes.writeUIntBE(value, 0, 6)
  return bytes
}

function readTsig(bytes: Buffer, { dataStart, data }: DnsRecord) {
  const { name: algorithm, end } = readName(bytes, dataStart)
  const macStart = end + 10
  const macEnd = macStart + bytes.readUInt16BE(end + 8)
  const otherStart = macEnd + 6
  const other = bytes.subarray(otherStart, otherStart + bytes.readUInt16BE(macEnd + 4))
  if (otherStart + other.length > dataStart + data.length) throw new RangeError('a signature is longer than its record')
  return {
    algorithm,
    seconds: bytes.readUIntBE(end, 6),
    fudge: bytes.readUInt16BE(end + 6),
    mac: bytes.subarray(macStart, macEnd),
    id: bytes.readUInt16BE(macEnd),
    error: bytes.readUInt16BE(macEnd + 2),
    other,
  }
}
