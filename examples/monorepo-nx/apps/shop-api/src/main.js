const express = require('express')
const { stock } = require('../../../libs/stock/index.js')

const app = express()
app.get('/', (request, response) => response.send(stock()))
app.listen(process.env.PORT)
