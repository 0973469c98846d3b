const { readFileSync, statSync } = require('node:fs')
const { createServer } = require('node:http')

const secret = '/run/secrets/shop_password'
const greeting = readFileSync('/etc/greeting', 'utf8').trim()
const length = readFileSync(secret, 'utf8').trim().length
const { uid, mode } = statSync(secret)

// The secret itself is nobody's business; its length shows that it is there.
createServer((_, answer) => {
  answer.end(`${greeting}; a secret of ${length} characters, for user ${uid} with mode ${(mode & 0o777).toString(8)}`)
}).listen(3000)
