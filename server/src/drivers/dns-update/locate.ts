import { randomBytes } from 'node:crypto'
import { Resolver } from 'node:dns/promises'
import { ask, type Target } from './ask.ts'
import { dnsUpdateFailure } from './dns-update.ts'
import { type Limits, spell } from './exchange.ts'
import { CODE, type Message, readName, TYPE } from './wire.ts'

/** Where a record is written: in a zone of the server, and under its real name. */
export type Place = { name: string; zone: string }

/** A longer chain is a mistake or a trap. */
const MOST_ALIASES = 8
const RESOLVE_MS = 3000

/**
 * The zone of a name, asked of the server that takes the changes. Where another server holds it, a CNAME may lead from there
 * to a name that this one holds: many give a program only such a zone, and not the one that their mail depends on.
 */
export async function locate(
  target: Target,
  asked: string,
  resolvers: string[] | null,
  limits: Limits,
): Promise<Place> {
  let name = asked
  for (let hops = 0; hops <= MOST_ALIASES; hops++) {
    const answer = await ask(target, name, TYPE.CNAME, limits)
    const isHere = holds(target, answer)
    const aliasOf = async (one: string) =>
      isHere ? aliasIn(await ask(target, one, TYPE.CNAME, limits), one) : publicAlias(one, resolvers, limits)
    const alias = isHere ? aliasIn(answer, name) : await aliasOf(name)
    // One that every name beside it has is a wildcard's, and gives way to a record of the name's own.
    if (alias !== null && (await aliasOf(siblingOf(name))) !== alias) name = alias
    else if (isHere) return { name, zone: zoneIn(answer) ?? (await walkUp(target, name, limits)) }
    else throw missing(target, name)
  }
  throw dnsUpdateFailure('zone_missing', `${asked} is an alias of an alias, and so on without an end.`)
}

/** A name beside it that nobody has. */
const siblingOf = (name: string) => [`slipway-${randomBytes(6).toString('hex')}`, ...name.split('.').slice(1)].join('.')

/** An answer at first hand. A referral and a refusal say that others have it. */
function holds({ server }: Target, { code, authoritative }: Message): boolean {
  if (code === CODE.ok || code === CODE.missing) return authoritative
  if (code === CODE.refused || code === CODE.notAuth) return false
  throw dnsUpdateFailure('dns_failed', `The name server ${spell(server)} answered with the error ${code}.`)
}

function aliasIn({ answers, bytes }: Message, name: string): string | null {
  const found = answers.find((record) => record.type === TYPE.CNAME && record.name === name.toLowerCase())
  return found ? readName(bytes, found.dataStart).name : null
}

/** Who says that there is none also says of which zone. */
const zoneIn = ({ authority }: Message) => authority.find(({ type }) => type === TYPE.SOA)?.name ?? null

async function walkUp(target: Target, name: string, limits: Limits): Promise<string> {
  const labels = name.toLowerCase().split('.')
  for (let from = 0; from < labels.length; from++) {
    const zone = labels.slice(from).join('.')
    const { answers } = await ask(target, zone, TYPE.SOA, limits)
    if (answers.some((record) => record.type === TYPE.SOA && record.name === zone)) return zone
  }
  throw missing(target, name)
}

const missing = ({ server }: Target, name: string) =>
  dnsUpdateFailure('zone_missing', `The name server ${spell(server)} holds no zone with ${name} in it.`)

/** As everyone else sees it. */
async function publicAlias(name: string, resolvers: string[] | null, { signal }: Limits): Promise<string | null> {
  const found = await asking(resolvers, signal, (resolver) => resolver.resolveCname(name))
  return found[0]?.toLowerCase() ?? null
}

/** What everyone's name servers say; nothing where they are silent. */
export async function asking(
  resolvers: string[] | null,
  signal: AbortSignal,
  question: (resolver: Resolver) => Promise<string[]>,
): Promise<string[]> {
  signal.throwIfAborted()
  const resolver = new Resolver({ timeout: RESOLVE_MS, tries: 2 })
  if (resolvers !== null) resolver.setServers(resolvers)
  const stop = () => resolver.cancel()
  signal.addEventListener('abort', stop)
  try {
    return await question(resolver).catch(() => [])
  } finally {
    signal.removeEventListener('abort', stop)
    signal.throwIfAborted()
  }
}
