import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Check } from './checks.ts'
import { type Machine, runNode } from './run-cli.ts'

const RUNS = 25
const MOST_VERSION = 1.3
const MOST_COMMAND = 1.8
/** One of each kind: local, a list, one with a project, one that is refused. */
const COMMANDS = [
  ['help'],
  ['completion', 'bash'],
  ['whoami', '--json'],
  ['projects', 'ls', '--json'],
  ['ls', '-p', 'none', '--json'],
]

/** Processor time against an empty program, least of several on both sides, in turns. */
export async function startUp(check: Check, machine: Machine, program: string): Promise<string> {
  const empty = join(machine.home, 'empty.mjs')
  writeFileSync(empty, '')
  const all = [[empty], [program, '--version'], ...COMMANDS.map((argv) => [program, ...argv])]
  const least = all.map(() => Number.POSITIVE_INFINITY)
  for (let run = 0; run < RUNS; run++)
    for (const [n, argv] of all.entries()) least[n] = Math.min(least[n] ?? 0, (await runNode(machine, argv)).cpuMs)
  const [base = 1, ...others] = least
  const ratios = others.map((ms) => ms / base)
  for (const [n, ratio] of ratios.entries()) {
    const most = n === 0 ? MOST_VERSION : MOST_COMMAND
    const what = n === 0 ? '--version' : COMMANDS[n - 1]?.join(' ')
    check(
      `slipway ${what}: ${ratio.toFixed(2)} of an empty program (${base.toFixed(0)} ms); at most ${most}`,
      ratio <= most,
    )
  }
  return `--version ${ratios[0]?.toFixed(2)} of an empty program, commands at most ${Math.max(...ratios.slice(1)).toFixed(2)}`
}
