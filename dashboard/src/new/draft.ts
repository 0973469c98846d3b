import type { Preparation } from '@slipway/contract/prepare'
import type { Pair } from '../variables/read-env.ts'
import type { Source } from './source.ts'

/** What of a plan somebody may say otherwise. */
export type Row = 'installCommand' | 'buildCommand' | 'startCommand' | 'outputDirectory' | 'port'
export type Edits = Partial<Record<Row, string>>

export type Draft = {
  name: string
  edits: Edits
  variables: Pair[]
  /** null: the one that fits, or none yet. */
  serverId: string | null
  /** The first part of its free name; empty: made of the project's name. */
  label: string
}

/** Which rows of a plan there are: what an image runs is its own business, but for the port. */
export function rowsOf(plan: Pick<Preparation, 'strategy'> | null, source: Source): Row[] {
  if (source.kind === 'image') return ['port']
  // In slipway.json they are said for everybody; here they would be said a second time.
  if (source.kind === 'folder' && source.folder.said.services) return []
  switch (plan?.strategy) {
    case 'server':
      return ['installCommand', 'buildCommand', 'startCommand', 'port']
    case 'static':
      return ['installCommand', 'buildCommand', 'outputDirectory']
    case 'dockerfile':
      return ['port']
    default:
      return []
  }
}

export const foundIn = (plan: Preparation | null, row: Row): string => String(plan?.[row] ?? '')

/** Settings of the one service that such a source is, where something is to be otherwise than it was found. */
export function servicesOf(plan: Preparation | null, source: Source, edits: Edits): object[] | undefined {
  if (source.kind === 'folder' && source.folder.said.services) return source.folder.said.services
  const said = rowsOf(plan, source).flatMap((row) => {
    const text = edits[row]?.trim()
    if (!text || text === foundIn(plan, row)) return []
    return [[row, row === 'port' ? Number(text) : text]]
  })
  return said.length === 0 ? undefined : [{ name: 'web', ...Object.fromEntries(said) }]
}

/** Those that have a value: a name that was only found is no variable. */
export const setVariables = (variables: Pair[]): Pair[] =>
  variables.filter(({ name, value }) => name.trim() !== '' && value !== '')

/** Names that were found and what was pasted, one row each; what somebody has filled in stays. */
export function withVariables(before: Pair[], more: Pair[]): Pair[] {
  const all = new Map(before.map(({ name, value }) => [name, value]))
  for (const { name, value } of more) all.set(name, value || all.get(name) || '')
  return [...all].map(([name, value]) => ({ name, value }))
}
