import { visibleLine } from '@slipway/contract/visible-text'
import type { Call } from '../command.ts'
import { EXIT, Failure } from '../failure.ts'

type Asking = Pick<Call, 'stdin' | 'stderr' | 'out' | 'flags' | 'signal'>

/** Whether somebody is there to answer. */
export const canAsk = ({ stdin, out, flags }: Asking): boolean =>
  out.isTerminal && !flags['no-input'] && stdin().isTTY === true

/** Yes or no. Without a terminal it is an error that names the flag: nothing is ever waited for that cannot come. */
export async function confirm(call: Asking, question: string): Promise<void> {
  if (call.flags.yes) return
  if (!canAsk(call)) throw new Failure(EXIT.usage, 'confirmation_needed', question, 'Say yes with --yes.')
  if (/^y(es)?$/i.test(await line(call, `${question} [y/N] `))) return
  throw new Failure(EXIT.interrupted, 'declined', 'Nothing was done.')
}

/** A line of text. `flag` says how it is given where nobody can be asked. */
export async function ask(
  call: Asking,
  question: string,
  { unsaid, flag }: { unsaid?: string; flag: string },
): Promise<string> {
  if (call.flags.yes && unsaid !== undefined) return unsaid
  if (!canAsk(call)) {
    if (unsaid !== undefined) return unsaid
    throw new Failure(EXIT.usage, 'usage', `${question}?`, `Say it with ${flag}.`)
  }
  const typed = (await line(call, `${question}${unsaid ? ` (${unsaid})` : ''}: `)).trim()
  return typed === '' && unsaid !== undefined ? unsaid : typed
}

/** Something that nobody who looks over a shoulder should read. */
export const askSecretly = (call: Asking, question: string): Promise<string> => line(call, `${question}: `, true)

async function line({ stdin, stderr, signal }: Asking, prompt: string, hidden = false): Promise<string> {
  // Most commands ask nothing.
  const [{ createInterface }, { Writable }] = await Promise.all([
    import('node:readline/promises'),
    import('node:stream'),
  ])
  const left = new AbortController()
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const output = hidden ? nowhere : (stderr as unknown as NodeJS.WritableStream)
  const reader = createInterface({ input: stdin(), output, terminal: true })
  // While it reads, the terminal's Ctrl-C comes here and not as a signal.
  reader.once('SIGINT', () => left.abort())
  if (hidden) stderr.write(visibleLine(prompt))
  try {
    return await reader.question(visibleLine(prompt), { signal: AbortSignal.any([signal, left.signal]) })
  } catch (error) {
    if (left.signal.aborted) throw new Failure(EXIT.interrupted, 'interrupted', 'Interrupted.')
    throw error
  } finally {
    reader.close()
    if (hidden || left.signal.aborted) stderr.write('\n')
  }
}
