import { Resolver } from 'node:dns/promises'
import type { Dns, DnsAnswer, DnsLimits, DnsProblem } from './dns.ts'

/** A longer chain is a mistake or a trap. */
const MOST_ALIASES = 8
const MOST_RECORDS = 100
const TRIES = 2

/** The machine's own resolvers unless others are named, as `address` or `address:port`. */
export function dnsResolver({ servers }: { servers: string[] | null }): Dns {
  return {
    async lookup(host, limits) {
      const { signal, deadlineMs } = limits
      signal.throwIfAborted()
      // One of its own for each question: it can be ended alone, and has no memory of what was true before.
      const resolver = new Resolver({ timeout: Math.max(200, Math.floor(deadlineMs / (TRIES + 1))), tries: TRIES })
      if (servers !== null) resolver.setServers(servers)
      const stop = () => resolver.cancel()
      const timer = setTimeout(stop, deadlineMs)
      signal.addEventListener('abort', stop)
      try {
        const answer = await ask(resolver, host, limits, Date.now() + deadlineMs)
        signal.throwIfAborted()
        return answer
      } finally {
        clearTimeout(timer)
        signal.removeEventListener('abort', stop)
      }
    },
  }
}

type Outcome<T> = { records: T[]; problem: DnsProblem | null }

async function ask(resolver: Resolver, host: string, limits: DnsLimits, until: number): Promise<DnsAnswer> {
  const goesOn = () => Date.now() < until && !limits.signal.aborted
  const [a, aaaa, cname, txt] = await Promise.all([
    outcome(resolver.resolve4(host)),
    outcome(resolver.resolve6(host)),
    aliases(resolver, host, goesOn),
    limits.txt ? outcome(resolver.resolveTxt(host)) : null,
  ])
  const found = a.records.length + aaaa.records.length > 0
  const problems = [a.problem, aaaa.problem].filter((problem) => problem !== null)
  // Some servers deny a name that they have, when asked for the kind of address that it lacks.
  const [problem = null] = found ? problems.filter((one) => one !== 'nxdomain') : problems
  return {
    a: a.records,
    aaaa: aaaa.records,
    cname,
    txt: txt === null || isFailure(txt.problem) ? null : txt.records.map((parts) => parts.join('')),
    problem,
  }
}

/** A server tells one alias at a time when it is asked for aliases. */
async function aliases(resolver: Resolver, host: string, goesOn: () => boolean): Promise<string[]> {
  const chain: string[] = []
  for (let name: string | undefined = host; name !== undefined && chain.length < MOST_ALIASES && goesOn(); ) {
    const { records }: Outcome<string> = await outcome(resolver.resolveCname(name))
    name = records[0]?.toLowerCase()
    if (name === undefined || name === host || chain.includes(name)) break
    chain.push(name)
  }
  return chain
}

async function outcome<T>(answer: Promise<T[]>): Promise<Outcome<T>> {
  try {
    return { records: (await answer).slice(0, MOST_RECORDS), problem: null }
  } catch (error) {
    return { records: [], problem: problemOf((error as { code?: string }).code) }
  }
}

const isFailure = (problem: DnsProblem | null) => problem === 'servfail' || problem === 'timeout'

function problemOf(code: string | undefined): DnsProblem | null {
  if (code === 'ENODATA') return null
  if (code === 'ENOTFOUND') return 'nxdomain'
  // Cancelled is what a deadline looks like from inside.
  return code === 'ETIMEOUT' || code === 'ECANCELLED' ? 'timeout' : 'servfail'
}
