import type { Instance } from './instance/instance.ts'
import type { Output, Stream } from './show/output.ts'
import type { Flag } from './table/entry.ts'
import type { GLOBAL } from './table/global.ts'
import type { CommandName, table } from './table/table.ts'

type ValueOf<F extends Flag> = F['type'] extends 'boolean'
  ? boolean
  : F['type'] extends 'list'
    ? string[]
    : (F['type'] extends 'number' ? number : string) | undefined
type Values<F> = { [K in keyof F]: F[K] extends Flag ? ValueOf<F[K]> : never }
type FlagsOf<N extends CommandName> = (typeof table)[N] extends { flags: infer F } ? Values<F> : unknown

/** The process as a command sees it: nothing else of it is used, so that tests can hand in their own. */
export type Io = {
  env: NodeJS.ProcessEnv
  cwd: string
  /** Opened when it is asked for: that takes longer than most commands. */
  stdin(): NodeJS.ReadableStream & { isTTY?: boolean }
  stdout: Stream
  stderr: Stream
  /** Somebody wants to leave. */
  signal: AbortSignal
  /** Whether somebody who left says so again within this time. */
  again?(ms: number): Promise<boolean>
}

/** What a command is given. */
export type Call<Flags = unknown> = Io & {
  words: string[]
  flags: Flags & Values<typeof GLOBAL>
  out: Output
  /** The instance that is meant, with the token for it. */
  instance(): Promise<Instance>
}

/** Answers with its exit code; nothing is 0. */
// biome-ignore lint/suspicious/noConfusingVoidType: most commands have nothing to answer
export type Command<N extends CommandName> = (call: Call<FlagsOf<N>>) => Promise<number | void>
