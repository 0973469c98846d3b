const express = require('express')
const { price } = require('prices')

const app = express()
app.get('/', (request, response) => response.send(price()))
app.listen(process.env.PORT)
