const { word } = require('words')

require('node:http')
  .createServer((request, response) => response.end(word('users')))
  .listen(process.env.PORT ?? 3000)
