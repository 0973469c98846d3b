import { readFile, rm, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import type { Call, Command } from '../../command.ts'
import { EXIT, Failure, usage } from '../../failure.ts'
import { projectOf } from '../../instance/project.ts'
import { counted } from '../../show/words.ts'
import { revealed, setVariables } from './env.ts'

const fileOf = ({ cwd, words }: Call) => resolve(cwd, words[0] ?? '.env')

export const pull: Command<'env pull'> = async (call) => {
  const { out, flags } = call
  const file = fileOf(call)
  const values = await ofProject(call)
  const text = [...values].map(([name, value]) => `${name}=${quoted(value)}\n`).join('')
  // Made anew: one that others may read would stay so.
  if (flags.force) await rm(file, { force: true })
  await writeFile(file, text, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw usage(`${file} is there already.`, 'Add --force to write over it.')
    throw error
  })
  out.say(`${out.paint('green', '✓')} ${counted(values.size, 'variable')} written to ${file}`)
  out.event({ success: true, file, names: [...values.keys()] })
}

export const push: Command<'env push'> = async (call) => {
  const pairs = [...(await inFile(fileOf(call)))].map(([name, value]) => ({ name, value }))
  if (pairs.length === 0) throw usage(`${fileOf(call)} has no variables.`)
  await setVariables(call, pairs)
}

/** Names alone are shown: values are nobody's who looks over a shoulder. Exit code 6 where they differ. */
export const diff: Command<'env diff'> = async (call) => {
  const { out } = call
  const [here, there] = [await inFile(fileOf(call)), await ofProject(call)]
  const onlyHere = [...here.keys()].filter((name) => !there.has(name))
  const onlyThere = [...there.keys()].filter((name) => !here.has(name))
  const changed = [...here.keys()].filter((name) => there.has(name) && there.get(name) !== here.get(name))
  const same = onlyHere.length + onlyThere.length + changed.length === 0
  out.result({ success: true, same, onlyInFile: onlyHere, onlyInProject: onlyThere, changed }, () => [
    ...onlyHere.map((name) => `+ ${name}  only in the file`),
    ...onlyThere.map((name) => `- ${name}  only in the project`),
    ...changed.map((name) => `~ ${name}  other values`),
  ])
  if (same) out.say('They are the same.')
  return same ? EXIT.ok : EXIT.actionRequired
}

async function inFile(file: string): Promise<Map<string, string>> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw usage(`${file} cannot be read: ${error.message}`)
  })
  return new Map(Object.entries(parseEnv(text)).map(([name, value]) => [name, value ?? '']))
}

/** Of every service, or of one: a variable of its own goes before one of all. */
async function ofProject(call: Call<{ service: string | undefined }>): Promise<Map<string, string>> {
  const instance = await call.instance()
  const { id } = await projectOf(call, instance)
  const all = await revealed(instance, id)
  const of = (service: string | null) =>
    all.filter((one) => one.service === service).map((one) => [one.name, one.value] as const)
  return new Map([...of(null), ...(call.flags.service === undefined ? [] : of(call.flags.service))])
}

/** As every reader of such files takes it; one that holds both kinds of quotes and a line end cannot be written. */
function quoted(value: string): string {
  if (/^[\w./:@%+,=-]*$/.test(value)) return value
  const quote = ['"', "'", '`'].find((sign) => !value.includes(sign) && !(sign === '"' && value.includes('\\n')))
  if (quote === undefined)
    throw new Failure(
      EXIT.unexpected,
      'unwritable_value',
      'A value has every kind of quote in it, and cannot be written into a file.',
      'slipway env ls --reveal --json has it.',
    )
  return `${quote}${value}${quote}`
}
