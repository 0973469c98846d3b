#!/usr/bin/env node
import { VERSION } from './version.ts'

const { argv, env } = process
const words = argv.slice(2)

if (words[0] === '--version') process.stdout.write(`slipway ${VERSION}\n`)
else {
  rememberCode()
  // Nothing is imported before it is needed: `slipway --version` costs little more than an empty program.
  void import('./start.ts').then(({ start }) => start(words))
}

/** What Node has compiled of us once it does not compile again. */
function rememberCode(): void {
  const caches = env.XDG_CACHE_HOME || (env.HOME && `${env.HOME}/.cache`)
  if (caches) process.getBuiltinModule('node:module').enableCompileCache?.(`${caches}/slipway/code`)
}
