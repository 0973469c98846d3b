#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readFlags, USAGE, WrongUse } from './flags.ts'
import { act, Unfit } from './verbs.ts'

/** The folder of the release that this program came with. */
const folder = resolve(import.meta.dirname, '..')
const version: string = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version

async function main(): Promise<void> {
  const flags = readFlags(process.argv.slice(2), process.env)
  if (flags === 'help') return void process.stdout.write(`${USAGE}\n`)
  const told = await act(flags, { folder, version })
  if (flags.json) process.stdout.write(`${JSON.stringify(told)}\n`)
}

main().catch((error: Error) => {
  process.stderr.write(`\n${error.message}\n`)
  if (!(error instanceof WrongUse || error instanceof Unfit))
    process.stderr.write('\nWhat was done stays. Run the same again: it goes on from there.\n')
  process.exit(error instanceof WrongUse ? 2 : error instanceof Unfit ? 6 : 1)
})
