/** Such an address means the machine that opens it, so that elsewhere it leads nowhere. `at`: a host, or a whole address. */
export function isHereOnly(at: string): boolean {
  const host = at.includes('://') ? new URL(at).hostname : at
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127\.[\d.]+$/.test(host)
}

export const LINK_HERE_ONLY =
  'It has the address of this machine alone: only somebody on it, or with a tunnel to it, can open it. To give the platform a name that others reach, run slipway setup install --domain NAME on the machine. Links that are made afterwards have that name.'

export const NAME_HERE_ONLY =
  'A name below localhost opens only on the machine itself. Add a domain to the project, or let the operator choose a base domain for all of them: slipway setup install --base-domain NAME.'
