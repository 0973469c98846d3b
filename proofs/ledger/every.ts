import { spawn } from 'node:child_process'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { readLedger } from './ledger.ts'

type One = { name: string; kind: 'story' | 'figure' }
type Verdict = 'PROVED' | 'MISSED' | 'PARTIAL' | 'BROKEN'

const MAIN = join(import.meta.dirname, '..', 'main.ts')
const QUIET_MS = 180_000
const LOOK_MS = 5000

/**
 * Each in a process of its own, what took least first: what can be known soon is known soon. What ends is kept at once, so that `--stale`
 * goes on where this was interrupted. A figure is taken when the machine has come to rest from what ran before.
 */
export async function proveEach(all: One[]): Promise<boolean> {
  const ledger = readLedger()
  const took = ({ name }: One) => ledger[name]?.seconds ?? Number.POSITIVE_INFINITY
  const ended: { name: string; verdict: Verdict }[] = []
  for (const { name, kind } of all.toSorted((a, b) => took(a) - took(b))) {
    if (kind === 'figure' && ended.length > 0) await untilQuiet()
    ended.push({ name, verdict: await proveOne(name) })
  }
  for (const line of summary(ended)) console.log(line)
  return ended.every(({ verdict }) => verdict === 'PROVED')
}

/** Nothing but proofs at their full size says that all are proved. */
export function summary(ended: { name: string; verdict: Verdict }[]): string[] {
  const of = (wanted: Verdict) => ended.filter(({ verdict }) => verdict === wanted).map(({ name }) => name)
  const told = (words: string, names: string[]) => (names.length === 0 ? [] : [`${words}: ${names.join(', ')}`])
  return [
    ...told('missed', of('MISSED')),
    ...told('not run to the end', of('BROKEN')),
    ...told('at a smaller size, which claims nothing', of('PARTIAL')),
    `${of('PROVED').length} of ${ended.length} are proved`,
  ]
}

async function proveOne(name: string): Promise<Verdict> {
  const child = spawn(process.execPath, [MAIN, name], { stdio: ['inherit', 'pipe', 'inherit'] })
  let last = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    process.stdout.write(text)
    last = (last + text).slice(-100_000)
  })
  const code = await new Promise<number | null>((done) => child.once('close', done))
  const said = new RegExp(`^(PROVED|PARTIAL|MISSED) ${name}: `, 'm').exec(last)?.[1] as Verdict | undefined
  if (said === undefined) console.log(`${name} ended with ${code} and without a verdict`)
  return said ?? 'BROKEN'
}

async function untilQuiet(): Promise<void> {
  const deadline = performance.now() + QUIET_MS
  while ((loadavg()[0] ?? 0) > availableParallelism() / 2 && performance.now() < deadline) await pause(LOOK_MS)
}
