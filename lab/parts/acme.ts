import { record } from '../state.ts'
import { tool } from '../tools.ts'
import { needPackages } from './packages.ts'

/** The programs of a certificate authority; `startCa` in `ca.ts` runs one for each test that wants one. */
export async function upAcme(): Promise<string> {
  await needPackages('acme')
  record({ acme: { pebble: tool('pebble'), dns: tool('pebble-challtestsrv') } })
  return 'a certificate authority for each test that starts one'
}
