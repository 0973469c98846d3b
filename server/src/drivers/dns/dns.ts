export type DnsProblem = 'nxdomain' | 'servfail' | 'timeout'

export type DnsAnswer = {
  a: string[]
  aaaa: string[]
  /** The names it is another word for, in the order in which they lead to each other. */
  cname: string[]
  /** null: not asked for, or no answer. A record of several strings is one text. */
  txt: string[] | null
  /** Why there may be more than is told, or nothing: null when the answer is whole. */
  problem: DnsProblem | null
}

export type DnsLimits = { signal: AbortSignal; deadlineMs: number; txt?: boolean }

/** What the domain name system says about a name at this moment: nothing is remembered from one time to the next. */
export interface Dns {
  /** Throws only when the signal ends it. A name without records is an answer, and so is a server that is silent. */
  lookup(host: string, limits: DnsLimits): Promise<DnsAnswer>
}
