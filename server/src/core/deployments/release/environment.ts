import type { PlainVariable } from '../../projects/variables.ts'

/** Variables a service sees when it runs: the project's, overruled by its own. */
export function runtimeEnvironment(variables: PlainVariable[], service: string): Record<string, string> {
  const seen = variables.filter((v) => v.scope !== 'build' && (v.service === null || v.service === service))
  return Object.fromEntries(
    seen.sort((a, b) => Number(a.service !== null) - Number(b.service !== null)).map((v) => [v.name, v.value]),
  )
}

export function buildSecrets(variables: PlainVariable[], service: string): Record<string, string> {
  const seen = variables.filter((v) => v.scope !== 'runtime' && (v.service === null || v.service === service))
  return Object.fromEntries(seen.map((v) => [v.name, v.value]))
}
