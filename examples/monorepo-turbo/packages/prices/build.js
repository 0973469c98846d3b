const { mkdirSync, copyFileSync } = require('node:fs')

mkdirSync('dist', { recursive: true })
copyFileSync('index.js', 'dist/index.js')
