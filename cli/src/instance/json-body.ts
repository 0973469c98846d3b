import { resolve } from 'node:path'
import type { Call } from '../command.ts'
import { usage } from '../failure.ts'
import { allOf, textOf } from '../parse/pairs.ts'

type Given = Pick<Call, 'stdin' | 'cwd'> & { flags: { data: string | undefined } }

/** What `--data` says, as text that is JSON; nothing where it says nothing. */
export async function jsonBody({ flags, stdin, cwd }: Given): Promise<string | undefined> {
  const { data } = flags
  if (data === undefined) return undefined
  const text = data === '@-' ? await allOf(stdin()) : data.startsWith('@') ? textOf(resolve(cwd, data.slice(1))) : data
  try {
    JSON.parse(text)
    return text
  } catch (error) {
    throw usage(`The body is not JSON: ${(error as Error).message}`)
  }
}
