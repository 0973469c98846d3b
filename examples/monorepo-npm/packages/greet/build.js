const { mkdirSync, copyFileSync } = require('node:fs')

mkdirSync('made', { recursive: true })
copyFileSync('index.js', 'made/index.js')
