import type { Server } from '@slipway/contract/servers'
import { EXIT, Failure } from '../failure.ts'
import type { Instance } from './instance.ts'
import { pagesOf } from './pages.ts'

/** A server by its id or its name. */
export async function findServer({ api }: Instance, named: string): Promise<Server> {
  if (named.startsWith('srv_')) return api.servers.show({ params: { id: named } })
  for await (const one of pagesOf((query) => api.servers.list({ query }))) if (one.name === named) return one
  throw new Failure(EXIT.refused, 'not_found', `There is no server called ${named}.`, 'slipway servers ls lists them.')
}
