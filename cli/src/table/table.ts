import { account, project } from './account.ts'
import { deploying } from './deploying.ts'
import { git } from './git.ts'
import { machines } from './machines.ts'
import { organization, tools } from './organization.ts'
import { settings } from './settings.ts'

/** Every command. Help, completion, the reference and `--describe` are made from it; `load.ts` knows where each one is. */
export const table = {
  ...account,
  ...project,
  ...deploying,
  ...settings,
  ...machines,
  ...git,
  ...organization,
  ...tools,
} as const

export type CommandName = keyof typeof table
