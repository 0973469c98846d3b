import { parseSync } from '@swc/core'
import type { BuiltArea, OpenArea, Shown, TestName } from '../server/test/conformance/statement.ts'

/** Both lists of areas, what is served (`GET /api/x`), and the text of a file or null where there is none. */
export type Conformance = {
  built: BuiltArea[]
  open: OpenArea[]
  served: Set<string>
  read(file: string): string | null
}

/** What is wrong with the table; a table in which nothing is wrong names a test for everything that is built. */
export function conformanceFindings(given: Conformance): string[] {
  const statements = given.built.flatMap((area) => area.statements)
  const later = given.open.flatMap((area) => area.open)
  const named = new Set(statements.map(({ route }) => route))
  return [
    ...duplicates([...statements, ...later].map(({ id }) => id)).map((id) => `${id}: two statements have this id`),
    ...statements.flatMap((statement) => findingsOf(statement, given)),
    ...later
      .filter(({ route }) => route !== undefined && given.served.has(route))
      .map(({ id, route }) => `${id}: ${route} is served by now; move the statement to what is built, with its test`),
    ...given.built.flatMap(({ title, paths = [] }) =>
      [...given.served]
        .filter((route) => paths.some((path) => isBelow(route, path)) && !named.has(route))
        .map((route) => `${title}: no statement is about ${route}; say what it does, with a test`),
    ),
  ]
}

function findingsOf({ id, route, tests }: Shown, { served, read }: Conformance): string[] {
  const found: string[] = []
  if (route !== undefined && !served.has(route)) found.push(`${id}: ${route} is not served`)
  if (tests.length === 0) found.push(`${id}: no test shows it; write one and name it here`)
  for (const { file, name } of tests) {
    const text = read(file)
    if (text === null) found.push(`${id}: there is no file ${file}`)
    else if (!testsIn(text).some((chain) => endsWith(chain, name)))
      found.push(`${id}: ${file} has no test ${name.join(' › ')}; name the one that shows it now`)
  }
  return found
}

const duplicates = (ids: string[]) => [...new Set(ids.filter((id, at) => ids.indexOf(id) !== at))]

function isBelow(route: string, path: string): boolean {
  const [, at = ''] = route.split(' ')
  return at === path || at.startsWith(`${path}/`)
}

const endsWith = (chain: string[], name: string[]) =>
  name.length > 0 && chain.slice(-name.length).join('\0') === name.join('\0')

const known = new Map<string, string[][]>()

/** Every test of a file that runs: what the `describe`s around it say, and then what it says itself. */
export function testsIn(text: string): string[][] {
  const before = known.get(text)
  if (before) return before
  const found: string[][] = []
  visit(parseSync(text, { syntax: 'typescript', target: 'es2024' }).body, [], found)
  known.set(text, found)
  return found
}

type Node = { [key: string]: unknown }
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

function visit(node: unknown, around: string[], found: string[][]): void {
  if (Array.isArray(node)) for (const one of node) visit(one, around, found)
  else if (isNode(node)) {
    const titled = node.type === 'CallExpression' ? titledCall(node) : null
    if (titled?.skipped) return
    if (titled && titled.kind !== 'describe') found.push([...around, titled.title])
    const inside = titled?.kind === 'describe' ? [...around, titled.title] : around
    for (const [key, value] of Object.entries(node)) if (key !== 'span') visit(value, inside, found)
  }
}

const MODIFIERS = new Set([
  'each',
  'for',
  'concurrent',
  'sequential',
  'fails',
  'only',
  'skip',
  'todo',
  'skipIf',
  'runIf',
])

/** `test('…', …)`, `describe.each(rows)('…', …)`, `test.concurrent.for(rows)('…', …)`: what they are and what they say. */
function titledCall({ callee, arguments: given }: Node) {
  const [first] = given as { expression: Node }[]
  const title = first && textOf(first.expression)
  if (title === undefined) return null
  const words: string[] = []
  let at = callee as Node
  for (; at.type === 'CallExpression' || at.type === 'MemberExpression'; ) {
    if (at.type === 'MemberExpression') words.push(String((at.property as Node).value))
    at = (at.type === 'CallExpression' ? at.callee : at.object) as Node
  }
  const kind = at.type === 'Identifier' ? String(at.value) : ''
  if (!['test', 'it', 'describe'].includes(kind) || words.some((word) => !MODIFIERS.has(word))) return null
  return { kind, title, skipped: words.some((word) => word === 'skip' || word === 'todo') }
}

function textOf(node: Node): string | undefined {
  if (node.type === 'StringLiteral') return String(node.value)
  if (node.type !== 'TemplateLiteral') return undefined
  return (node.quasis as { cooked: string }[]).map(({ cooked }) => cooked).join('…')
}

/** docs/reference/conformance.md */
export function conformancePage({ built, open }: Pick<Conformance, 'built' | 'open'>): string {
  const statements = built.flatMap((area) => area.statements)
  const shown = statements.filter(({ tests }) => tests.length > 0).length
  const later = open.flatMap((area) => area.open).length
  return `# Conformance

What the interface of Slipway says, one statement a line, and the tests that show it. This page is made from
\`server/test/conformance/\` by \`tools/generate.ts\`; \`bin/ci\` stops at a statement without a test, at a test that is
not there any more, at a served route that no statement is about, and at an open statement whose route is served.

**${shown} of ${statements.length} statements about what is built have a test; 0 differ, because a statement
that does not hold is a test that fails. ${later} more are open: not built yet.**

| area | statements | with a test | open |
|---|---|---|---|
${built.map(({ title, statements: all }) => `| ${title} | ${all.length} | ${all.filter(({ tests }) => tests.length > 0).length} | 0 |`).join('\n')}
${open.map(({ title, open: all }) => `| ${title} | ${all.length} | 0 | ${all.length} |`).join('\n')}

${built.map(builtSection).join('\n')}
${open.map(openSection).join('\n')}`
}

const builtSection = ({ title, statements }: BuiltArea) => `## ${title}

| id | statement | shown by |
|---|---|---|
${statements.map(({ id, route, says, tests }) => `| ${id} | ${sentence(route, says)} | ${tests.map(linked).join('<br>')} |`).join('\n')}
`

const openSection = ({ title, open }: OpenArea) => `## ${title}

Open: not built yet. ${open.length} statements.

| id | statement |
|---|---|
${open.map(({ id, route, says }) => `| ${id} | ${sentence(route, says)} |`).join('\n')}
`

const sentence = (route: string | undefined, says: string) => cell(route === undefined ? says : `\`${route}\` ${says}`)
const linked = ({ file, name }: TestName) =>
  `[${file.split('/').at(-1)}](../../${file}) › ${cell(name.map((word) => word.replace(/([<>*_[\]])/g, '\\$1')).join(' › '))}`
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
