import { assertReachable } from '../test-kit/reach.ts'
import { daemons } from './group.ts'
import { type Lab, readLab } from './state.ts'

/** Programs and images, which nobody has to keep running. */
const still: (keyof Lab)[] = ['caddy', 'acme']

/** A part's addresses, for tests; an error says which part is missing and how to start it. */
export function labPart<Name extends keyof Lab>(name: Name): NonNullable<Lab[Name]> {
  assertReachable(name)
  const part = readLab()[name]
  const command = `bin/lab up ${name.startsWith('host') ? 'hosts' : name === 'caddy' ? 'images' : name}`
  if (part === undefined) throw new Error(`The lab's ${name} was not started. Start it with: ${command}`)
  if (!still.includes(name) && daemons(name).length === 0)
    throw new Error(`The lab's ${name} has stopped. Start it again with: ${command}`)
  return part
}
