import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { routes } from '../lab/githost/rest/routes.ts'

// node tools/describe-githost.ts makes lab/githost/described.json anew: what GitHub's own description says of the operations
// and events that the lab's git host knows. The packages are large (385 MB) and are needed for nothing else: they are
// downloaded to a temporary folder, never installed.

type Node = Record<string, unknown>
type Components = Record<string, Record<string, unknown>>
type Document = { paths: Record<string, Record<string, Node>>; webhooks: Record<string, Node>; components: Components }

const PACKAGES = { rest: '@octokit/openapi@23.0.2', hooks: '@octokit/openapi-webhooks@12.1.0' }
const EVENTS = [
  'ping',
  'push',
  ...['created', 'deleted', 'suspend', 'unsuspend', 'new-permissions-accepted'].map(
    (action) => `installation-${action}`,
  ),
  'installation-repositories-added',
  'installation-repositories-removed',
  ...['created', 'deleted', 'renamed', 'transferred'].map((action) => `repository-${action}`),
  'github-app-authorization-revoked',
]
/** Said to people, not to a checker. */
const PROSE = new Set(['description', 'summary', 'example', 'examples', 'externalDocs', 'x-github', 'title', 'tags'])

const folder = mkdtempSync(join(tmpdir(), 'slipway-describe-'))
try {
  const rest = download('rest')
  const hooks = download('hooks')
  const paths = describedPaths(rest.document)
  const webhooks = Object.fromEntries(EVENTS.map((name) => [name, withoutProse(hooks.document.webhooks[name])]))
  const described = {
    source: Object.values(PACKAGES),
    notice: rest.license,
    rest: { paths, components: referred(rest.document, paths) },
    hooks: { webhooks, components: referred(hooks.document, webhooks) },
  }
  const text = `${JSON.stringify(described)}\n`
  writeFileSync(join(import.meta.dirname, '../lab/githost/described.json'), text)
  const operations = Object.values(paths).flatMap((methods) => Object.keys(methods)).length
  console.log(`${operations} operations, ${EVENTS.length} events, ${(text.length / 1e6).toFixed(2)} MB`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function download(which: keyof typeof PACKAGES): { document: Document; license: string } {
  const into = join(folder, which)
  mkdirSync(into)
  const archive = execFileSync('npm', ['pack', '--silent', PACKAGES[which]], { cwd: into, encoding: 'utf8' }).trim()
  const wanted = ['package/generated/api.github.com.json', 'package/LICENSE']
  execFileSync('tar', ['-xzf', archive, ...wanted], { cwd: into })
  const [document = '', license = ''] = wanted.map((file) => readFileSync(join(into, file), 'utf8'))
  return { document: JSON.parse(document), license }
}

function describedPaths(document: Document): Record<string, Node> {
  const unnamed = (path: string) => path.replace(/\{[^}]+\}|:\w+|\*\w+/g, '{}')
  const known = new Map(Object.keys(document.paths).map((path) => [unnamed(path), path]))
  const kept: Record<string, Node> = {}
  for (const { method, path } of routes) {
    const name = known.get(unnamed(path)) ?? ''
    const operation = document.paths[name]?.[method.toLowerCase()]
    if (!operation) console.log(`not described: ${method} ${path}`)
    else kept[name] = { ...kept[name], [method.toLowerCase()]: { responses: withoutProse(operation.responses) } }
  }
  return kept
}

/** Prose is dropped, but not properties that happen to be called so. */
function withoutProse(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutProse(one))
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).filter(([name]) => key === 'properties' || !PROSE.has(name))
  return Object.fromEntries(entries.map(([name, one]) => [name, withoutProse(one, key === 'properties' ? '' : name)]))
}

/** Everything that is referred to, and what that refers to. */
function referred(document: Document, start: unknown): Components {
  const found: Components = {}
  const walk = (value: unknown): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(value).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
      if (found[kind]?.[name]) continue
      const one = withoutProse(document.components[kind]?.[name])
      found[kind] = { ...found[kind], [name]: one }
      walk(one)
    }
  }
  walk(start)
  return found
}
