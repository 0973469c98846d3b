import { Elysia } from 'elysia'

new Elysia().get('/', () => ({ framework: 'elysia' })).listen(process.env.PORT ?? 3000)
