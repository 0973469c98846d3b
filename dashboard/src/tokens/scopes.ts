import { SCOPES, type Scope } from '@slipway/contract/permissions'

/** What a token is often for. `null`: all that its maker may, also what they may later. */
export const PRESETS = [
  { name: 'deploy', label: 'Deploy from a build server', fits: (scope: Scope) => DEPLOY.has(scope) },
  { name: 'read', label: 'Only look', fits: (scope: Scope) => /:(list|read)$/.test(scope) },
  { name: 'all', label: 'Everything that you may', fits: null },
  { name: 'own', label: 'As ticked below', fits: undefined },
] as const
export type PresetName = (typeof PRESETS)[number]['name']

const DEPLOY: ReadonlySet<Scope> = new Set<Scope>([
  'project:list',
  'project:read',
  'project:write',
  'deployment:list',
  'deployment:read',
  'deployment:write',
  'server:list',
  'server:read',
])

/** The cells of a preset that this person has. */
export function scopesOf(preset: PresetName, held: readonly Scope[]): Scope[] {
  const fits = PRESETS.find(({ name }) => name === preset)?.fits
  return held.filter((scope) => fits === null || fits?.(scope) === true)
}

/** Adds or takes one, in the order of the table. */
export function toggled(scopes: readonly Scope[], scope: Scope): Scope[] {
  const next = new Set(scopes)
  if (!next.delete(scope)) next.add(scope)
  return SCOPES.filter((one) => next.has(one))
}
