require('node:http').createServer((request, response) => response.end('the compose file came first')).listen(8123)
