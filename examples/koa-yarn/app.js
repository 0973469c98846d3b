const Koa = require('koa')

new Koa()
  .use((context) => {
    context.body = { framework: 'koa' }
  })
  .listen(process.env.PORT ?? 3000)
