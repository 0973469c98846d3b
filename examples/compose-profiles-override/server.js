const { createServer } = require('node:http')

createServer(async (_, answer) => {
  const tools = await fetch('http://tools:9000/').then((got) => got.text(), () => 'no tools')
  const debug = await fetch('http://debug:9000/').then(() => 'there', () => 'not started')
  answer.end(`${process.env.MODE}, ${process.argv[2]}, ${tools.trim()}, debug is ${debug}`)
}).listen(8080)
