const Koa = require('koa')
const { word } = require('words')

new Koa()
  .use((context) => {
    context.body = word('orders')
  })
  .listen(process.env.PORT ?? 3000)
