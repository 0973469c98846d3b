import { spawn } from 'node:child_process'
import { appendFileSync, readdirSync } from 'node:fs'

type Step = { name: string; argv: string[]; env?: Record<string, string> }

/** What users get; a proof that runs on it sees what only packing breaks. */
const RELEASE = '.ci/release'
const onRelease = (name: string) => (name === 'journey' ? { env: { SLIPWAY_PROVE_RELEASE: RELEASE } } : {})

/** Everything that must hold before a change lands, cheapest first. `bin/ci NAME…` runs only those. */
const steps: Step[] = [
  { name: 'format and lint', argv: ['biome', 'ci', '--colors=off', '.'] },
  { name: 'types', argv: ['tsc', '--noEmit'] },
  {
    name: 'imports',
    argv: [
      'depcruise',
      '--config',
      '.dependency-cruiser.cjs',
      'contract/src',
      'server',
      'cli/src',
      'lab',
      'proofs',
      'setup',
      'test-kit',
      'tools',
    ],
  },
  { name: 'norms', argv: ['node', 'tools/check.ts'] },
  { name: 'unused code', argv: ['knip'] },
  { name: 'generated docs', argv: ['node', 'tools/generate.ts', '--check'] },
  { name: 'build', argv: ['npm', 'run', '--silent', 'build'] },
  { name: 'release', argv: ['bin/release', '--snapshot', '--unpacked', '--out', RELEASE] },
  { name: 'lab', argv: ['bin/lab', 'up'] },
  { name: 'tests', argv: ['vitest', 'run'] },
  ...(await quickProofs()).map((name) => ({ name: `prove ${name}`, argv: ['bin/prove', name], ...onRelease(name) })),
  // For people: most of them take longer than a change should wait.
  { name: 'stale proofs', argv: ['bin/prove', '--stale'] },
]

async function quickProofs(): Promise<string[]> {
  const files = readdirSync('proofs').filter((file) => file.endsWith('.ts') && file !== 'main.ts')
  const proofs = await Promise.all(files.map(async (file) => ({ file, ...(await import(`../proofs/${file}`)) })))
  return proofs.filter((proof) => proof.quick).map((proof) => proof.file.slice(0, -3))
}

const seconds: Record<string, number> = {}

function run({ name, argv: [program = '', ...args], env }: Step): Promise<number> {
  console.log(`\n== ${name}`)
  const started = performance.now()
  return new Promise((done) => {
    const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, ...env } })
    child.once('error', (error) => {
      console.error(`${name} could not start: ${error.message}`)
      done(127)
    })
    child.once('exit', (code) => {
      seconds[name] = Math.round((performance.now() - started) / 100) / 10
      console.log(`== ${name}: ${code === 0 ? 'ok' : `failed (${code})`} after ${seconds[name]} s`)
      done(code ?? 1)
    })
  })
}

const wanted = process.argv.slice(2)
const chosen = wanted.length === 0 ? steps : steps.filter((step) => wanted.some((word) => step.name.includes(word)))
const failed: string[] = []
for (const step of chosen) {
  if ((await run(step)) === 0) continue
  failed.push(step.name)
  break
}
// CI has the machine to itself and leaves it as it was; a developer keeps the lab.
if (process.env.CI === 'true') await run({ name: 'lab down', argv: ['bin/lab', 'down'] })
// Which step grew is only known when it was written down before.
const total = Object.values(seconds).reduce((sum, one) => sum + one, 0)
for (const [name, took] of Object.entries(seconds)) console.log(`${took.toFixed(1).padStart(8)} s  ${name}`)
console.log(`${total.toFixed(1).padStart(8)} s  in all`)
const line = { at: new Date().toISOString(), total: Math.round(total), failed, seconds }
if (wanted.length === 0) appendFileSync('.ci/times.jsonl', `${JSON.stringify(line)}\n`)
console.log(failed.length === 0 ? `\n${chosen.length} steps passed` : `\nFailed: ${failed.join(', ')}`)
process.exit(failed.length === 0 ? 0 : 1)
