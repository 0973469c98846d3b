import type { api } from '../api/client.ts'

export type Variable = Awaited<ReturnType<typeof api.variables.list>>['data'][number]
export type Scope = Variable['scope']

/** A variable is known by its service and its name. */
export const keyOf = ({ name, service }: Pick<Variable, 'name' | 'service'>): string => `${service ?? ''}/${name}`

export const SCOPES: readonly { value: Scope; label: string }[] = [
  { value: 'all', label: 'Build and run' },
  { value: 'build', label: 'Build only' },
  { value: 'runtime', label: 'Run only' },
]
export const scopeInWords = (scope: Scope): string => SCOPES.find(({ value }) => value === scope)?.label ?? scope
