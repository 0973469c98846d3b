import { endpoint } from '@slipway/contract/endpoint'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { guardRoutes } from '../../../src/http/guard.ts'

const route = { method: 'GET' as const, url: '/api/forgotten', handler: async () => 'x' }

test('the app does not boot with a route that says nothing about who may use it, and names it', async () => {
  const app = Fastify()
  guardRoutes(app)
  expect(() => app.route(route)).toThrow('GET /api/forgotten has neither a permission nor a reason to be public')
})

test('a route that some plugin registers is held to the same', async () => {
  const app = Fastify()
  guardRoutes(app)
  app.register(async (inner) => {
    inner.get('/api/plugin', async () => 'x')
  })
  await expect(app.ready()).rejects.toThrow('GET /api/plugin has neither a permission')
})

test.each([
  ['an empty reason', { public: ' ' }],
  ['an empty permission', { permission: '' as 'project:read' }],
])('%s is none', async (_, access) => {
  const app = Fastify()
  guardRoutes(app)
  const row = endpoint({ method: 'GET', path: '/api/forgotten', summary: '', access, response: z.object({}) })
  expect(() => app.route({ ...route, config: { endpoint: row } })).toThrow('/api/forgotten')
})
