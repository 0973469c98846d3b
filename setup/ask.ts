import { createInterface } from 'node:readline/promises'
import { WrongUse } from './flags.ts'

/** Asks whoever sits there. Where nobody does, nothing is asked: the answer has to come with the command. */
export async function ask(question: string, { instead }: { instead: string }): Promise<string> {
  if (!process.stdin.isTTY) throw new WrongUse(`Nobody can be asked here. Run it with ${instead}.`)
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return (await terminal.question(question)).trim()
  } finally {
    terminal.close()
  }
}
