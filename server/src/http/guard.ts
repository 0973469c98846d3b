import type { Endpoint } from '@slipway/contract/endpoint'
import type { FastifyInstance } from 'fastify'

/**
 * Refuses to boot with a route that has neither a permission nor a reason to be public, whoever registered it.
 * Returns the table of routes, which fills as they are registered.
 */
export function guardRoutes(app: FastifyInstance): Endpoint[] {
  const table: Endpoint[] = []
  app.addHook('onRoute', (route) => {
    const access = route.config?.endpoint?.access
    const guarded = access && ('permission' in access ? access.permission : access.public.trim()) !== ''
    if (!guarded || !route.config?.endpoint) {
      throw new Error(
        `${route.method} ${route.url} has neither a permission nor a reason to be public. ` +
          "Give its endpoint `access: { permission: 'resource:action' }` or `access: { public: 'why' }`.",
      )
    }
    table.push(route.config.endpoint)
  })
  return table
}
