const { readFileSync } = require('node:fs')
require('node:http')
  .createServer((request, response) => response.end(readFileSync('/tmp/prepared')))
  .listen(process.env.PORT)
