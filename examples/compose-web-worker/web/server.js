require('node:http')
  .createServer(async (request, response) => response.end(`the worker says ${await (await fetch(process.env.WORKER)).text()}`))
  .listen(3000)
