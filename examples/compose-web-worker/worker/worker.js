require('node:http').createServer((request, response) => response.end('done')).listen(4000)
