import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fullFolders } from './folders.ts'
import { longReadme, missingPaths } from './pages.ts'
import { foreignRuntimeCalls, goneRuntimeCalls } from './runtime-calls.ts'

type Finding = string
const MOST_LINES = 350

const all = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => existsSync(file))
const files = all.filter((file) => /\.(ts|tsx|mjs|cjs)$/.test(file))
const product = (file: string) => /^(contract|server|cli|dashboard)\/src\//.test(file) && !file.endsWith('.test.ts')

/** Dockerfiles, compose files and containers that are adopted may name a shell: it is the user's own, in the user's container. */
const writesForContainers = (file: string) => /^server\/src\/(source|core\/migration\/carry-over)\//.test(file)

/** Constant scripts that run inside of containers, with data as arguments. README and SECURITY.md name them. */
const constantScripts = ['server/src/drivers/runtime/render/health.ts']

/** A look at the clock behind which it is given up. */
const OWN_WAIT = /\bnow\(\) > (?:deadline|end|until|late)\)\s+(?:throw|return)\b/

/** What no linter knows: the house's own norms, each with its reason. */
const rules: { why: string; check(file: string, text: string): boolean }[] = [
  {
    why: `has more than ${MOST_LINES} lines; split it by the words it is about`,
    check: (_, text) => text.split('\n').length - 1 > MOST_LINES,
  },
  {
    why: 'uses a shell; spawn with an argv array instead',
    check: (file, text) =>
      file !== 'tools/check.ts' &&
      (/\bexecSync\b|\bimport\b[^\n]*[{,]\s*exec\s*[,}][^\n]*child_process|shell:\s*true/.test(text) ||
        (/child_process/.test(text) && /shell:\s*['"]/.test(text)) ||
        (!writesForContainers(file) && /['"`](?:\/bin\/)?(?:sh|bash)['"`]\s*,\s*\[?\s*['"`]-l?c/.test(text))),
  },
  {
    why: 'hands text to an interpreter; only the constant scripts that this file lists may, inside of a container',
    check: (file, text) =>
      product(file) &&
      !constantScripts.includes(file) &&
      !writesForContainers(file) &&
      /,\s*['"`]-l?c['"`]\s*,/.test(text),
  },
  {
    why: 'starts a program; this room only reads files and writes text',
    check: (file, text) => writesForContainers(file) && /child_process/.test(text),
  },
  {
    why: 'has SQL outside of a store; put the query into the noun’s store.ts',
    check: (file, text) =>
      product(file) &&
      /^server\/src\/(core|http)\//.test(file) &&
      !/store\.ts$/.test(file) &&
      /\.(selectFrom|insertInto|updateTable|deleteFrom)\(|\bstatement[<(]|\bsql[<`]/.test(text),
  },
  {
    why: 'asks the server by itself; dashboard/src/api is the one way, which knows its clock and its refusals',
    check: (file, text) =>
      /^dashboard\/src\/(?!api\/|logs\/worker\/)/.test(file) && product(file) && /\bfetch\(|EventSource/.test(text),
  },
  {
    why: 'lies in a drawer; name the folder after what it holds',
    check: (file) => /(^|\/)(utils?|lib|helpers?|common|shared|services|managers?)\//.test(file),
  },
  {
    why: 'waits with vi.waitFor, which gives up after a second; expect.poll waits as long as vitest.config.ts says',
    check: (file, text) => file !== 'tools/check.ts' && /\bvi\.wait(?:For|Until)\(/.test(text),
  },
  {
    why: 'waits in a way of its own; test-kit/until.ts waits for a condition with a deadline and says what did not come',
    check: (file, text) =>
      file !== 'test-kit/until.ts' &&
      (/\bfunction until\b/.test(text) || (!product(file) && !file.startsWith('setup/') && OWN_WAIT.test(text))),
  },
  {
    why: 'reads a size from the environment; proofs/ledger/sizes.ts does, and knows when what is shown is partial',
    check: (file, text) =>
      file.startsWith('proofs/') &&
      file !== 'proofs/ledger/sizes.ts' &&
      /process\.env\.SLIPWAY_(?!PROVE_|TEST_|MUTATION\b|CLI_KEEP\b)/.test(text),
  },
  {
    why: 'expects something within a few seconds, which a busy machine has not; count processorMs, or take a deadline of the product',
    check: (file, text) =>
      file.endsWith('.test.ts') && /\bnow\(\) - \w+\)\.toBeLessThan(?:OrEqual)?\((?:\d{1,3}|[1-4]_?\d{3})\)/.test(text),
  },
  {
    why: 'compares with clock_timestamp(), which is volatile: no index is used then, and all rows are read; statement_timestamp() is not',
    check: (file, text) => product(file) && /(?:^|[^=])[<>]=?(?:',\s*sql<\w+>`|\s*)clock_timestamp\(\)/.test(text),
  },
  {
    why: 'names a folder of one machine or a package registry',
    check: (file, text) =>
      file !== 'tools/check.ts' && /(?:\/root|\/home\/\w+|\/work)\/\w|registry\.npmjs|deb\.debian\.org/.test(text),
  },
]

const findings: Finding[] = []
for (const file of files) {
  const text = readFileSync(file, 'utf8')
  for (const rule of rules) if (rule.check(file, text)) findings.push(`${file} ${rule.why}`)
  findings.push(...foreignRuntimeCalls(file, text))
}
findings.push(...goneRuntimeCalls((file) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined)))
findings.push(...fullFolders(all))
for (const page of all.filter((file) => file.endsWith('.md'))) {
  const text = readFileSync(page, 'utf8')
  findings.push(...longReadme(page, text), ...missingPaths(page, text, all))
}
const node = JSON.parse(readFileSync('package.json', 'utf8')).devDependencies.node
if (readFileSync('.node-version', 'utf8').trim() !== node)
  findings.push(`.node-version names another Node than package.json, which says ${node}; write the same into both`)
for (const finding of findings) console.error(finding)
console.log(`${files.length} files, ${rules.length} rules, ${findings.length} findings`)
process.exitCode = findings.length > 0 ? 1 : 0
