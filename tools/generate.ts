import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DEPLOYMENT_ERRORS } from '@slipway/contract/deployment-errors'
import { type Endpoint, MODES } from '@slipway/contract/endpoint'
import { ERROR_CODES } from '@slipway/contract/errors'
import { readConfig } from '../server/src/config.ts'
import { buildApp } from '../server/src/http/app.ts'
import { createMetrics } from '../server/src/http/metrics.ts'
import { createLogger, wire } from '../server/src/process/wiring.ts'
import { BUILT } from '../server/test/conformance/areas.ts'
import { OPEN } from '../server/test/conformance/open.ts'
import { withClaims } from './claims.ts'
import { commandReference } from './command-reference.ts'
import { conformanceFindings, conformancePage } from './conformance.ts'
import { pathsModule } from './paths.ts'
import { recognitionPage } from './recognition.ts'

/**
 * Writes the reference pages that are made from code; with --check it only says whether they are as committed.
 * The routes come from a built app, so that what is listed is what answers. A statement of the interface without its
 * test is an error either way.
 */
const root = join(import.meta.dirname, '..')
const table = await routeTable()
const conformance = { built: BUILT, open: OPEN }
const pages: Record<string, string> = {
  'contract/src/paths.ts': pathsModule(),
  'docs/reference/routes.txt': routesPage(table),
  'docs/reference/cli.md': commandReference(),
  'docs/reference/errors.md': errorsPage(),
  'docs/reference/conformance.md': conformancePage(conformance),
  'README.md': await withClaims(read(join(root, 'README.md'))),
  'docs/reference/recognition.md': recognitionPage(),
}
const findings = conformanceFindings({
  ...conformance,
  served: new Set(table.map(({ method, path }) => `${method} ${path}`)),
  read: (file) => read(join(root, file)) || null,
})
for (const finding of findings) console.error(`conformance: ${finding}`)

const stale = Object.entries(pages).filter(([file, text]) => read(join(root, file)) !== text)
const check = process.argv.includes('--check')
for (const [file, text] of stale) {
  if (check) console.error(`${file} is out of date; run: bin/generate`)
  else writeFileSync(join(root, file), text)
}
console.log(`${Object.keys(pages).length} pages, ${stale.length} ${check ? 'out of date' : 'written'}`)
process.exit(findings.length > 0 || (check && stale.length > 0) ? 1 : 0)

async function routeTable(): Promise<Endpoint[]> {
  const nowhere = {
    SLIPWAY_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    SLIPWAY_SECRET_KEY: randomBytes(32).toString('hex'),
  }
  const logger = createLogger('silent')
  const served: Endpoint[][] = []
  for (const SLIPWAY_MODE of MODES) {
    const { platform } = wire(readConfig({ ...nowhere, SLIPWAY_MODE }), logger)
    served.push((await buildApp({ platform, logger, metrics: createMetrics(platform) })).endpoints)
  }
  return [...new Set(served.flat())]
}

function routesPage(table: Endpoint[]): string {
  const lines = table.map(
    ({ method, path, access, only }) =>
      `${method} ${path} ${'permission' in access ? access.permission : 'public'}${only ? ` ${only}` : ''}`,
  )
  return `${lines.sort((a, b) => (a.split(' ')[1] ?? '').localeCompare(b.split(' ')[1] ?? '') || a.localeCompare(b)).join('\n')}\n`
}

function errorsPage(): string {
  const rows = Object.entries(ERROR_CODES).map(
    ([code, [status, meaning]]) => `| \`${code}\` | ${status} | ${meaning} |`,
  )
  return `# Error codes

Every refusal carries a \`code\` to branch on. This page is made from \`contract/src/errors.ts\` by \`tools/generate.ts\`.

| code | status | meaning |
|---|---|---|
${rows.join('\n')}

## Why a deployment failed

A failed deployment carries \`error { code, step, service, message, hint, logSeq }\`; \`logSeq\` is the line of its log that
shows it. From \`contract/src/deployment-errors.ts\`:

| code | meaning |
|---|---|
${Object.entries(DEPLOYMENT_ERRORS)
  .map(([code, meaning]) => `| \`${code}\` | ${meaning} |`)
  .join('\n')}
`
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
