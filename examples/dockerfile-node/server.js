require('node:http').createServer((request, response) => response.end('built by its own Dockerfile')).listen(8123)
