import Fastify from 'fastify'

const app = Fastify()
app.get('/', async () => ({ framework: 'fastify' }))
await app.listen({ port: Number(process.env.PORT ?? 3333), host: '0.0.0.0' })
