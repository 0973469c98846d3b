import { parseArgs } from 'node:util'
import { ApiError, createClient } from '@slipway/contract/client'

export async function whoami(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { json: { type: 'boolean', default: false } } })
  const url = process.env.SLIPWAY_URL ?? 'http://127.0.0.1:4600'
  const token = process.env.SLIPWAY_TOKEN
  try {
    const me = await createClient({ url, ...(token && { token }) }).me.show()
    process.stdout.write(
      values.json
        ? `${JSON.stringify(me)}\n`
        : `${me.user.name} <${me.user.email}>, ${me.role} of ${me.organization.name}\n`,
    )
    return 0
  } catch (error) {
    if (!(error instanceof ApiError)) return unreachable(url, values.json)
    process.stderr.write(`${error.message}${error.body.hint ? `\n${error.body.hint}` : ''}\n`)
    if (values.json) process.stdout.write(`${JSON.stringify(error.body)}\n`)
    return error.status === 401 ? 3 : error.status === 403 || error.status === 404 ? 4 : 1
  }
}

function unreachable(url: string, json: boolean): number {
  process.stderr.write(`Nothing answers at ${url}. Is the server running? Set SLIPWAY_URL to its address.\n`)
  if (json) process.stdout.write(`${JSON.stringify({ success: false, error: `Nothing answers at ${url}.` })}\n`)
  return 8
}
