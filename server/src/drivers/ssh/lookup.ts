import { type LookupAddress, type LookupAllOptions, lookup as resolve } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'

/** Asked with an IP address, at the moment a connection to it is about to be made. */
export type MayConnect = (address: string) => boolean

/** A name led only to addresses that may not be connected to. */
class AddressRefused extends Error {
  readonly code = 'ADDRESS_REFUSED'
  constructor(host: string) {
    super(`${host} leads to an address that may not be used`)
  }
}

/** Looks names up for `net.connect` and leaves out what may not be reached, so that what was asked about is what is connected to. */
export function guardedLookup(mayConnect: MayConnect): LookupFunction {
  return (host, options, done) => {
    const every: LookupAllOptions = { ...(options as LookupAllOptions), all: true }
    resolve(host, every, (error, found) => {
      const allowed = error ? [] : found.filter(({ address }) => mayConnect(address))
      const [first] = allowed
      const failed = done as (error: Error) => void
      if (error) failed(error)
      else if (first === undefined) failed(new AddressRefused(host))
      else if (options.all) (done as (error: null, found: LookupAddress[]) => void)(null, allowed)
      else done(null, first.address, first.family)
    })
  }
}

/** A host that is an address already is never looked up. */
export function refuseAddress(host: string, mayConnect: MayConnect | undefined): void {
  const address = host.replace(/^\[(.*)\]$/, '$1')
  if (mayConnect !== undefined && isIP(address) !== 0 && !mayConnect(address)) throw new AddressRefused(host)
}
