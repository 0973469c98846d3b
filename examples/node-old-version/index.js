require('node:http').createServer((request, response) => response.end('node 20')).listen(8081)
