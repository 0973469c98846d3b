import { networkInterfaces } from 'node:os'
import type { Config } from '../../../config.ts'
import { kindOf } from '../../networks/address-guard.ts'

/** Where the world finds the edge of this machine: what its operator says, else what its own interfaces have of the internet. */
export function publicAddresses({ publicAddresses: said }: Pick<Config, 'publicAddresses'>): string[] {
  if (said !== null) return said
  const own = Object.values(networkInterfaces()).flatMap((all) => all ?? [])
  return own.map(({ address }) => address).filter((address) => kindOf(address) === null)
}
