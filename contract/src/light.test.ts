import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { endpoints } from './endpoints.ts'
import { paths } from './paths.ts'

/** What pages load at first: tables, rules and the client. The schema library is a quarter of all that a first visit would load. */
const LIGHT = [
  ...['client', 'paths', 'permissions', 'deployment-states', 'deployment-errors', 'endpoint', 'visible-text'],
  ...['folder-rules', 'folder-batches', 'image-reference'],
]

/** Types are gone when it runs; `import { type … }` leaves an import behind, and counts. */
const IMPORTED = /^(?:import|export)\b(?!\s+type\b)(?:[^'";=(]*?\bfrom)?\s*['"]([^'"]+)['"]/gm
const importsOf = (file: string) =>
  [...readFileSync(join(import.meta.dirname, file), 'utf8').matchAll(IMPORTED)].map(([, from = '']) => from)

test('what pages load at first brings no schema along', () => {
  const reached = new Set(LIGHT.map((name) => `./${name}.ts`))
  // A set hands out what is added while it is walked.
  for (const file of reached) for (const next of importsOf(file)) reached.add(next)
  expect([...reached].filter((file) => !file.startsWith('./'))).toEqual([])
  expect(importsOf('./permission-schemas.ts')).toEqual(['zod', './permissions.ts'])
})

test('the client of pages knows every endpoint by its method and path', () => {
  const lines = (areas: Record<string, Record<string, { method: string; path: string }>>) =>
    Object.entries(areas).map(([area, rows]) => [
      ...[area, Object.entries(rows).map(([name, { method, path }]) => [name, `${method} ${path}`])],
    ])
  const known = Object.entries<Record<string, readonly string[]>>(paths).map(([area, rows]) => [
    ...[area, Object.entries(rows).map(([name, [line]]) => [name, line])],
  ])
  expect(known).toEqual(lines(endpoints))
})
