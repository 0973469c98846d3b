import { spawn } from 'node:child_process'
import type { Command } from '../../command.ts'
import { EXIT, Failure } from '../../failure.ts'
import { deploymentOf } from '../../instance/deployment.ts'

/** The first address of the active release; a machine without a display gets it printed. */
export const open: Command<'open'> = async (call) => {
  const instance = await call.instance()
  const { urls, number } = await deploymentOf(call, instance, undefined, 'active')
  const [url] = urls
  if (url === undefined)
    throw new Failure(EXIT.refused, 'not_found', `#${number} has no address.`, 'Give it one: slipway domains add HOST')
  const shown = !call.flags.print && call.out.isTerminal && (await started(url))
  call.out.result({ success: true, url, urls, opened: shown }, () => [url])
}

const OPENERS: Partial<Record<NodeJS.Platform, string[]>> = { darwin: ['open'], win32: ['explorer.exe'] }

/** Only what is a web address is handed on, as one argument. */
function started(url: string): Promise<boolean> {
  const parsed = URL.parse(url)
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return Promise.resolve(false)
  const [program = '', ...args] = OPENERS[process.platform] ?? ['xdg-open']
  return new Promise((done) => {
    const child = spawn(program, [...args, parsed.href], { stdio: 'ignore', detached: true })
    child.once('error', () => done(false))
    child.once('spawn', () => {
      child.unref()
      done(true)
    })
  })
}
