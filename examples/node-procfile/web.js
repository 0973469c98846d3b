require('node:http')
  .createServer((request, response) => response.end(`${process.env.GREETING} from the Procfile`))
  .listen(process.env.PORT || 5050)
