import type { DnsAnswer } from '../../../drivers/dns/dns.ts'

/** Why a name leads to no address. */
export function whyNowhere(domain: string, { cname, problem }: DnsAnswer): string {
  const last = cname.at(-1)
  const name = last === undefined ? domain : `${domain}, which stands for ${last},`
  if (problem === 'nxdomain') return `The name ${name} does not exist in the domain name system.`
  if (problem === 'timeout') return `The name servers did not tell in time where ${name} leads.`
  if (problem === 'servfail') return `The name servers failed to tell where ${name} leads.`
  return `The name ${name} has no address: neither an A nor an AAAA record.`
}
