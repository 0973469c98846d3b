import type { Command } from '../../command.ts'
import { EXIT, Failure } from '../../failure.ts'
import { openInBrowser } from '../../instance/browser.ts'
import { deploymentOf } from '../../instance/deployment.ts'

/** The first address of the active release; a machine without a display gets it printed. */
export const open: Command<'open'> = async (call) => {
  const instance = await call.instance()
  const { urls, number } = await deploymentOf(call, instance, undefined, 'active')
  const [url] = urls
  if (url === undefined)
    throw new Failure(EXIT.refused, 'not_found', `#${number} has no address.`, 'Give it one: slipway domains add HOST')
  const shown = !call.flags.print && call.out.isTerminal && (await openInBrowser(url, call.env))
  call.out.result({ success: true, url, urls, opened: shown }, () => [url])
}
