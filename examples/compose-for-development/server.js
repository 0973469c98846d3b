require('node:http').createServer((request, response) => response.end('beside a database')).listen(process.env.PORT)
