import { parseArgs } from 'node:util'
import { ApiError, createClient } from '@slipway/contract/client'
import { instanceUrl } from '../instance-url.ts'
import { printJson, printLine, say } from '../print.ts'

export async function whoami(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { json: { type: 'boolean', default: false } } })
  const url = instanceUrl(process.env)
  const token = process.env.SLIPWAY_TOKEN
  try {
    const me = await createClient({ url, ...(token && { token }) }).me.show()
    if (values.json) printJson(me)
    else printLine(`${me.user.name} <${me.user.email}>, ${me.role} of ${me.organization.name}`)
    return 0
  } catch (error) {
    if (!(error instanceof ApiError)) return unreachable(url, values.json)
    say(error.message)
    if (error.body.hint) say(error.body.hint)
    if (values.json) printJson(error.body)
    return error.status === 401 ? 3 : error.status === 403 || error.status === 404 ? 4 : 1
  }
}

function unreachable(url: string, json: boolean): number {
  say(`Nothing answers at ${url}. Is the server running? Set SLIPWAY_URL to its address.`)
  if (json) printJson({ success: false, error: `Nothing answers at ${url}.` })
  return 8
}
