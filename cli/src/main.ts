#!/usr/bin/env node
import { serverCommand } from './commands/server-command.ts'
import { whoami } from './commands/whoami.ts'
import { printLine, say } from './print.ts'

const USAGE = `slipway admin bootstrap --email you@example.com   make the first owner (on the machine of the instance)
slipway admin reset-password --email someone@…    make a link that sets a new password for an account
slipway admin keys rotate                         seal everything anew with the first key of the instance
slipway server                                    start the server
slipway whoami [--json]                           who SLIPWAY_TOKEN is, at SLIPWAY_URL`

/** Exit codes are an API: 0 ok, 1 unexpected, 2 usage, 3 not authenticated, 4 forbidden or not found, 8 unreachable. */
async function main([command, ...rest]: string[]): Promise<number> {
  if (command === 'admin') return serverCommand(['admin', ...rest])
  if (command === 'server') return serverCommand(rest)
  if (command === 'whoami') return whoami(rest)
  const asked = command === undefined || command === 'help' || command === '--help' || command === '-h'
  if (!asked) say(`Unknown command ${command}.`)
  for (const line of USAGE.split('\n')) (asked ? printLine : say)(line)
  return asked ? 0 : 2
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  say(error instanceof Error ? error.message : String(error))
  return 1
})
