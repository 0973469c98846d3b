import type { Endpoint } from '@slipway/contract/endpoint'
import { endpoints } from '@slipway/contract/endpoints'

/** The table of the API without its schemas, as a module: clients load it in no time, and all of the rest is types. */
export function pathsModule(): string {
  const areas = Object.entries<Record<string, Endpoint>>(endpoints).map(([area, rows]) => {
    const lines = Object.entries(rows).map(([name, row]) => `    ${name}: ${JSON.stringify(lineOf(row))},\n`)
    return `  ${area}: {\n${lines.join('')}  },\n`
  })
  return `// Made from endpoints.ts by tools/generate.ts.
// biome-ignore format: as it is made
export const paths = {
${areas.join('')}} as const
`
}

/** Method and path; and the content types that are handed over as they come. */
const lineOf = ({ method, path, response, alsoAnswers = [] }: Endpoint): string[] => [
  `${method} ${path}`,
  ...('stream' in response ? ['*'] : alsoAnswers),
]
