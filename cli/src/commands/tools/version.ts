import type { Command } from '../../command.ts'
import { VERSION } from '../../version.ts'

export const version: Command<'version'> = async ({ out }) =>
  out.result({ success: true, version: VERSION, node: process.versions.node }, () => [`slipway ${VERSION}`])
