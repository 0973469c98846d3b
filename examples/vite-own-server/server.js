import express from 'express'

const app = express()
app.get('/api', (request, response) => response.send('an answer of its server'))
app.use(express.static('dist'))
app.listen(process.env.PORT)
