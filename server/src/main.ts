#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { isMainThread } from 'node:worker_threads'
import { Refusal, UsageError } from './errors.ts'
import { keepSmall, mayGrow } from './process/v8-heap.ts'
import type { Role } from './serve.ts'

const USAGE = `slipway-server [--role api|worker|all]
                               start the server: answer requests, run deployments, or both (all)
slipway-server admin bootstrap --email you@example.com [--organization NAME] [--days N] [--again] [--json]
                               make the first organization and its owner's token and setup link
slipway-server admin reset-password --email someone@example.com
                               make a link that sets a new password and ends every session and token of the account
slipway-server admin keys rotate [--background]
                               seal everything anew with the first key of SLIPWAY_SECRET_KEY
slipway-server admin instance  show which instance database and data directory belong to
slipway-server admin instance adopt [--as-new]
                               after a restore or a move: they belong together from now on; or, of a copy: it is a
                               new instance, which leaves everything of the other one alone
slipway-server admin instance adopt --server ID
                               take over a server of an instance that is gone for good
slipway-server admin backup send --destination ID --sha256 HEX [--json] < FILE
                               send a backup of the platform to a backup destination, and read it back`

/** `slipway-server` serves; `slipway-server admin …` does an operator's errand on the same configuration and ends. */
async function main(argv: string[]): Promise<void> {
  const [command, ...rest] = argv
  if (command === 'admin') return (await import('./admin.ts')).admin(rest)
  const { values } = parseArgs({
    args: argv,
    options: { help: { type: 'boolean', short: 'h' }, role: { type: 'string', default: 'all' } },
  })
  if (values.help) return void process.stdout.write(`${USAGE}\n`)
  if (!isRole(values.role)) throw new UsageError('--role must be api, worker or all.')
  await start(values.role)
}

const isRole = (role: string): role is Role => role === 'api' || role === 'worker' || role === 'all'

/** All that a server consists of. */
const load = () => Promise.all([import('./config.ts'), import('./process/wiring.ts'), import('./serve.ts')])

async function start(role: Role): Promise<void> {
  keepSmall()
  const [{ readConfig }, { createLogger }, { serve }] = await load()
  const config = readConfig(process.env)
  const logger = createLogger(config.logLevel)
  const serving = await serve(config, logger, role)
  mayGrow()
  const stop = (signal: string) => {
    logger.info({ signal }, 'stopping')
    serving.stop().then(() => process.exit(0))
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => stop(signal))
  }
  void serving.lost.then(async (error) => {
    logger.fatal(error.message)
    await serving.stop()
    process.exit(1)
  })
}

const isBadOption = (error: unknown) => String((error as { code?: string }).code).startsWith('ERR_PARSE_ARGS')

/** Bundled, a thread may begin with the file that this one is part of: it is no second server. */
if (isMainThread) main(process.argv.slice(2)).catch(complain)

function complain(error: unknown): void {
  const todo = error instanceof Refusal ? error.details.hint : (error as { hint?: unknown }).hint
  const hint = typeof todo === 'string' ? `\n${todo}` : ''
  const cause = error instanceof Error && error.cause instanceof Error ? `\nBecause: ${error.cause.message}` : ''
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}${hint}${cause}\n`)
  process.exit(error instanceof UsageError || isBadOption(error) ? 2 : 1)
}
