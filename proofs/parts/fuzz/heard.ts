import { quoted } from './arrive.ts'
import type { EngineCall, Recorder } from './record.ts'

/**
 * Looks through all that was said to programs and to the engine for the mark that is in every hostile command. Wherever
 * it stands, it must stand in one argument or one field, alone and whole: never in an option, never in part of a path.
 */
export function misheard({ argvs, calls }: Pick<Recorder, 'argvs' | 'calls'>, mark: string): string[] {
  return [...argvs().flatMap((argv) => inArguments(argv, mark)), ...calls.flatMap((call) => inCall(call, mark))]
}

function inArguments([program = '', ...args]: string[], mark: string): string[] {
  return args.flatMap((arg, n) => {
    if (!arg.includes(mark)) return []
    // Everything of a user's comes after the end of options.
    const behind = args.lastIndexOf('--', n) >= 0
    const isBranch = /^(?:\+?refs\/heads\/\S+(?::refs\/heads\/fetched)?)$/.test(arg)
    const isAddress = /^(?:https:\/\/\S+|\S+@\S+)$/.test(arg)
    const isBuildArgument = args[n - 1] === '--build-arg' && /^[A-Za-z_]\w*=/.test(arg)
    if ((behind && (isBranch || isAddress)) || isBuildArgument) return []
    return [`${program} was started with ${quoted(arg)} as argument ${n}`]
  })
}

function inCall({ method, path, body }: EngineCall, mark: string): string[] {
  const [address = '', query = ''] = path.split('?')
  const parts = [...address.split('/'), ...query.split('&').map((pair) => pair.slice(pair.indexOf('=') + 1))]
  const badParts = parts.filter((part) => part.includes(mark) && /[^A-Za-z0-9%._~!'()*+-]/.test(part))
  const faults = badParts.map((part) => `${method} of the engine has ${quoted(part)} in its address`)
  return [...faults, ...inBody(method, address, body, mark)]
}

/** Words that we make; the gateway of a project has its id at the end. */
const OURS = /^[a-z0-9][a-z0-9-]{0,62}(?:prj_[0-9a-z]{26})?$/

/** Fields of a service that may hold what a user wrote: one word each. */
const FREE = /^TaskTemplate\.ContainerSpec\.(Args|Env|Image|Healthcheck\.Test)(\.\d+)?$/

function inBody(method: string, address: string, body: Buffer, mark: string): string[] {
  if (!/\/(?:create|update)$/.test(address) || body.length === 0) return []
  const json = JSON.parse(body.toString('utf8'))
  const found = [...textsIn(json)].filter(({ text }) => text.includes(mark))
  const misplaced = found.filter(({ path }) => !(address.includes('/services/') && FREE.test(path)))
  return [
    ...misplaced.map(({ path, text }) => `${method} ${address} has ${quoted(text)} as ${path}`),
    ...forbiddenNames(address, json),
  ]
}

// biome-ignore lint/suspicious/noExplicitAny: whatever was sent
function forbiddenNames(address: string, json: any): string[] {
  if (!/\/(?:services|networks|volumes|configs)\//.test(address) || json.Name === undefined) return []
  return OURS.test(json.Name) ? [] : [`${address} was given the name ${quoted(json.Name)}`]
}

function* textsIn(value: unknown, path: string[] = []): Generator<{ path: string; text: string }> {
  if (typeof value === 'string') yield { path: path.join('.'), text: value }
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    yield { path: `${path.join('.')} (key)`, text: key }
    yield* textsIn(inner, [...path, key])
  }
}
