#!/usr/bin/env node
// Nothing is imported before it is needed: `slipway --version` costs little more than an empty program.
const argv = process.argv.slice(2)

if (argv[0] === '--version')
  void import('./version.ts').then(({ VERSION }) => process.stdout.write(`slipway ${VERSION}\n`))
else void import('./start.ts').then(({ start }) => start(argv))
