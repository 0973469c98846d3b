const { greet } = require('@shop/greet')
const app = require('fastify')()

app.get('/', async () => greet('api'))
app.listen({ port: Number(process.env.PORT ?? 3001), host: '0.0.0.0' })
