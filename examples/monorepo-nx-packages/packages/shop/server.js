const { name } = require('names')

require('node:http')
  .createServer((request, response) => response.end(name()))
  .listen(process.env.PORT)
