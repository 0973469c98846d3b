import { serve } from '@hono/node-server'
import { greet } from 'greet'
import { Hono } from 'hono'

const app = new Hono()
app.get('/', (context) => context.text(greet('api')))
serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) })
