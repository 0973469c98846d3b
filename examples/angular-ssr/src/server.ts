import { AngularNodeAppEngine, createNodeRequestHandler, writeResponseToNodeResponse } from '@angular/ssr/node'
import express from 'express'

const app = express()
const angular = new AngularNodeAppEngine()
app.use(express.static(new URL('../browser', import.meta.url).pathname, { index: false }))
app.use((request, response, next) => {
  angular
    .handle(request)
    .then((answer) => (answer ? writeResponseToNodeResponse(answer, response) : next()))
    .catch(next)
})
app.listen(process.env['PORT'] ?? 4000)

export const reqHandler = createNodeRequestHandler(app)
