import { readFileSync } from 'node:fs'
import type { Call } from '../command.ts'
import { EXIT, Failure, usage } from '../failure.ts'
import { addressOf, localAddress } from './address.ts'
import { type Config, readConfig } from './config-file.ts'
import type { Target } from './instance.ts'

type Asked = Pick<Call, 'env' | 'flags'>

/** A flag, else the environment, else what is signed in to, else an instance on this very machine. */
export function targetOf({ env, flags }: Asked): Target {
  const config = readConfig(env)
  const named = contextOf(config, flags.context)
  const said = flags.url ?? (flags.context === undefined ? env.SLIPWAY_URL : undefined)
  const url = said ? addressOf(said) : (named?.url ?? localAddress(env))
  // A token goes to the instance that it was made for, and to no other.
  const context =
    named?.url === url
      ? named
      : Object.entries(config.contexts)
          .map(asNamed)
          .find((one) => one.url === url)
  const token = tokenIn(flags['token-file']) ?? (env.SLIPWAY_TOKEN || null) ?? context?.token ?? null
  return { url, token, context: context?.name ?? null }
}

function contextOf(config: Config, asked: string | undefined) {
  const name = asked ?? config.current
  const found = name === null ? undefined : config.contexts[name]
  if (found && name !== null) return asNamed([name, found])
  if (asked === undefined) return undefined
  const known = Object.keys(config.contexts)
  throw usage(
    `You are not signed in to an instance called ${asked}.`,
    known.length > 0 ? `There is: ${known.join(', ')}.` : 'slipway login URL',
  )
}

const asNamed = <T>([name, context]: [string, T]) => ({ name, ...context })

/** From the file that a flag names. */
export function tokenIn(file: string | undefined): string | null {
  if (file === undefined) return null
  try {
    return checkedToken(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof Failure) throw error
    throw usage(`The access token cannot be read from ${file}: ${(error as Error).message}`)
  }
}

/** One line, with nothing in it that could not stand in a header. */
export function checkedToken(text: string): string {
  const token = text.trim()
  if (/^[\x21-\x7e]+$/.test(token)) return token
  throw new Failure(
    EXIT.usage,
    'usage',
    token === '' ? 'No access token was given.' : 'That is no access token: it has spaces or other characters in it.',
  )
}
