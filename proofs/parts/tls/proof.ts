import type { TlsWorld } from './world.ts'

export const HOST = 'shop.example.test'

/** What the chapters of a proof share. */
export type Proof = { world: TlsWorld; project: string; faults: string[] }

/** Right: said. Wrong: kept, with what was seen. */
export const note = ({ faults }: Proof, right: boolean, what: string, seen: unknown = '') => {
  if (right) console.log(`  ${what}`)
  else faults.push(`${what}: ${JSON.stringify(seen)?.slice(0, 400)}`)
}
