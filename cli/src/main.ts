#!/usr/bin/env node
import { VERSION } from './version.ts'

const { argv, env } = process
const words = argv.slice(2)
const LEAST_NODE = 22

if (words[0] === '--version') process.stdout.write(`slipway ${VERSION}\n`)
else if (Number.parseInt(process.versions.node, 10) < LEAST_NODE) refuseNode()
else {
  rememberCode()
  // Nothing is imported before it is needed: `slipway --version` costs little more than an empty program.
  void import('./start.ts').then(({ start }) => start(words))
}

/** Here, because what follows may not even be read by an older one. It was used wrongly: exit code 2 (failure.ts). */
function refuseNode(): void {
  const error = `slipway needs Node ${LEAST_NODE} or newer; this is Node ${process.versions.node}.`
  const hint = 'Install a newer Node, and run the same again.'
  process.stderr.write(`✗ ${error}\n  ${hint}\n`)
  if (words.includes('--json'))
    process.stdout.write(`${JSON.stringify({ success: false, error, code: 'usage', hint })}\n`)
  process.exitCode = 2
}

/** What Node has compiled of us once it does not compile again. */
function rememberCode(): void {
  const caches = env.XDG_CACHE_HOME || (env.HOME && `${env.HOME}/.cache`)
  if (caches) process.getBuiltinModule('node:module').enableCompileCache?.(`${caches}/slipway/code`)
}
