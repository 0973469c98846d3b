import type { Call, Command, Io } from './command.ts'
import { EXIT, Failure } from './failure.ts'
import { load } from './load.ts'
import { parse } from './parse/parse.ts'
import { type Output, output } from './show/output.ts'
import type { CommandName } from './table/table.ts'

/** One command line, from its words to its exit code. */
export async function run(argv: string[], io: Io): Promise<number> {
  // What is wrong with the command line itself is told in the way that was asked for.
  const json = argv.includes('--json')
  let out = output({ ...io, json, plain: argv.includes('--no-color') })
  try {
    const parsed = parse(argv)
    if (parsed.kind !== 'command') return await explain(parsed, out)
    const flags = parsed.flags as Call['flags']
    out = output({ ...io, json: flags.json, quiet: flags.quiet, plain: flags['no-color'] })
    return await carryOut(parsed.name, { ...io, words: parsed.words, flags, out })
  } catch (error) {
    return fail(out, error)
  }
}

async function carryOut(name: CommandName, asked: Omit<Call, 'instance'>): Promise<number> {
  const { timeout } = asked.flags
  const deadline = timeout === undefined ? [] : [AbortSignal.timeout(wholeMs(timeout))]
  const signal = AbortSignal.any([asked.signal, ...deadline])
  const call: Call = {
    ...asked,
    signal,
    instance: async () => (await import('./instance/open.ts')).openInstance(call),
  }
  try {
    const command = (await load[name]()) as Command<never>
    return (await command(call as never)) ?? EXIT.ok
  } catch (error) {
    if (error instanceof Failure) throw error
    if (asked.signal.aborted) throw new Failure(EXIT.interrupted, 'interrupted', 'Interrupted.')
    if (deadline.some((one) => one.aborted))
      throw new Failure(EXIT.timeout, 'timeout', `It was not done within ${timeout} s.`, 'What was begun goes on.')
    throw error
  }
}

/** A signal takes no parts of a millisecond, and a timer not much more than three weeks. */
const wholeMs = (seconds: number) => Math.min(2 ** 31 - 1, Math.ceil(seconds * 1000))

async function explain(asked: { kind: 'help'; name: string | null } | { kind: 'describe' }, out: Output) {
  if (asked.kind === 'describe') {
    const whole = await described()
    out.result(whole, () => JSON.stringify(whole, null, 2).split('\n'))
    return EXIT.ok
  }
  const { helpLines } = await import('./parse/help.ts')
  const { name } = asked
  const lines = helpLines(name)
  const whole = out.json ? await described() : null
  const commands = whole?.commands.filter(
    (one) => name === null || one.name === name || one.name.startsWith(`${name} `),
  )
  out.result({ ...whole, commands }, () => lines)
  return EXIT.ok
}

async function described() {
  const { describe } = await import('./parse/describe.ts')
  const { VERSION } = await import('./version.ts')
  return describe(VERSION)
}

/** On stderr for people, and on stdout for programs. */
async function fail(out: Output, error: unknown): Promise<number> {
  const { asFailure } = await import('./instance/as-failure.ts')
  const failure = asFailure(error)
  const { message, hint, code, more, exit } = failure
  out.warn(`${out.paint('red', '✗')} ${message}`)
  if (hint) for (const line of hint.split('\n')) out.warn(`  ${line}`)
  out.event({ success: false, error: message, code, ...(hint && { hint }), ...more })
  return exit
}
