import { randomInt } from 'node:crypto'
import { dnsUpdateFailure } from './dns-update.ts'
import { exchange, type Limits, type Server, spell } from './exchange.ts'
import { judge, sign, type TsigKey, type Verdict } from './tsig.ts'
import { CODE, type Message, query } from './wire.ts'

/** The server that takes the changes, and how it knows us. */
export type Target = { server: Server; key: TsigKey; now(): Date }

/** Of a question: nobody else can guess it, and the answer bears it. */
export const newId = () => randomInt(0x10000)

/** Signed, and believed only when the answer is signed as well. What the server says no to, it may say without. */
export async function askSigned(target: Target, question: Buffer, limits: Limits): Promise<Message> {
  const { server, key, now } = target
  const { bytes, mac } = sign(question, key, now())
  const answer = await exchange(server, bytes, limits)
  const verdict = read(() => judge(answer, key, { mac, now: now() }), server)
  if (verdict.kind === 'refused') throw notBelieved(target, verdict)
  if (verdict.kind === 'forged') {
    const message = `The answer of ${spell(server)} is not signed with the key ${key.name} that it was asked with.`
    throw dnsUpdateFailure('key_refused', message)
  }
  if (verdict.kind === 'unsigned' && (answer.code === CODE.ok || answer.code === CODE.missing))
    throw dnsUpdateFailure('dns_failed', `The name server ${spell(server)} does not sign its answers.`)
  return answer
}

export const ask = (target: Target, name: string, type: number, limits: Limits) =>
  askSigned(target, query(newId(), name, type), limits)

function read(judged: () => Verdict, server: Server): Verdict {
  try {
    return judged()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw dnsUpdateFailure('dns_failed', `What answers at ${spell(server)} signs in a way that makes no sense.`)
  }
}

function notBelieved({ server, key, now }: Target, { reason, theirTime }: Verdict & { kind: 'refused' }) {
  const at = spell(server)
  if (reason === 'time') {
    const ours = now().toISOString()
    const theirs = theirTime === null ? 'another time' : theirTime.toISOString()
    return dnsUpdateFailure('clock_wrong', `At the name server ${at} it is ${theirs}, and here it is ${ours}.`)
  }
  const words = {
    // Knot says so as well of a key that has nothing to do with the zone.
    key: `The name server ${at} does not know the key ${key.name} (${key.algorithm}), or not for this zone.`,
    signature: `The name server ${at} has another secret for the key ${key.name}.`,
    other: `The name server ${at} does not accept what the key ${key.name} signs.`,
  }
  return dnsUpdateFailure('key_refused', words[reason])
}
