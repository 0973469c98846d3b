const express = require('express')

const app = express()
app.get('/healthz', (request, response) => response.send('ok'))
app.get('/', (request, response) => response.json({ framework: 'express' }))
app.listen(process.env.PORT || 4000)
