import { spawn } from 'node:child_process'
import { appendFileSync, readdirSync } from 'node:fs'

type Step = { name: string; argv: string[]; env?: Record<string, string> }

/** What users get; a proof that runs on it sees what only packing breaks. */
const RELEASE = '.ci/release'
const onRelease = (name: string) => (name === 'journey' ? { env: { SLIPWAY_PROVE_RELEASE: RELEASE } } : {})

const proofs = (await quickProofs()).map(
  (name): Step => ({ name: `prove ${name}`, argv: ['bin/prove', name], ...onRelease(name) }),
)
/** Some wait for engines and CAs most of the time, and others do not: three ways of about the same length, side by side. */
const BUSY = ['prove fuzz-api', 'prove tls-scale']
const WAITING = ['prove journey']
const waysThrough = (steps: Step[]): Step[][] => {
  const of = (names: string[]) => steps.filter(({ name }) => names.includes(name))
  return [of(BUSY), of(WAITING), steps.filter(({ name }) => ![...BUSY, ...WAITING].includes(name))]
}

/**
 * Everything that must hold before a change lands, cheapest first: stages, one after the other, of lanes that go side by side.
 * `bin/ci NAME…` runs only those.
 */
const stages: Step[][][] = [
  [
    [
      { name: 'format and lint', argv: ['biome', 'ci', '--colors=off', '.'] },
      { name: 'types', argv: ['tsc', '--noEmit'] },
      { name: 'types of the dashboard', argv: ['tsc', '--noEmit', '-p', 'dashboard'] },
      {
        name: 'imports',
        argv: [
          'depcruise',
          '--config',
          '.dependency-cruiser.cjs',
          'contract/src',
          'server',
          'cli/src',
          'dashboard',
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
    ],
    [{ name: 'lab', argv: ['bin/lab', 'up'] }],
  ],
  [[{ name: 'tests', argv: ['node', 'tools/ci-tests.ts'], env: { SLIPWAY_TEST_RELEASE: RELEASE } }]],
  waysThrough(proofs),
  // For people: most of them take longer than a change should wait.
  [[{ name: 'stale proofs', argv: ['bin/prove', '--stale'] }]],
]

async function quickProofs(): Promise<string[]> {
  const files = readdirSync('proofs').filter((file) => file.endsWith('.ts') && file !== 'main.ts')
  const proofs = await Promise.all(files.map(async (file) => ({ file, ...(await import(`../proofs/${file}`)) })))
  return proofs.filter((proof) => proof.quick).map((proof) => proof.file.slice(0, -3))
}

const seconds: Record<string, number> = {}
const began = performance.now()

/** Beside others, what it prints comes when it has ended: nobody reads two at once. */
function run({ name, argv: [program = '', ...args], env }: Step, isAlone: boolean): Promise<number> {
  if (isAlone) console.log(`\n== ${name}`)
  const started = performance.now()
  return new Promise((done) => {
    const output = isAlone ? ('inherit' as const) : ('pipe' as const)
    const child = spawn(program, args, { stdio: ['ignore', output, output], env: { ...process.env, ...env } })
    const printed: Buffer[] = isAlone ? [] : [Buffer.from(`\n== ${name}\n`)]
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => printed.push(chunk))
    child.once('error', (error) => {
      console.error(`${name} could not start: ${error.message}`)
      done(127)
    })
    // Not its `close`: daemons that it started may have its output as theirs.
    child.once('exit', async (code) => {
      seconds[name] = Math.round((performance.now() - started) / 100) / 10
      if (!isAlone) await new Promise((soon) => setTimeout(soon, 100))
      process.stdout.write(Buffer.concat(printed))
      console.log(`== ${name}: ${code === 0 ? 'ok' : `failed (${code})`} after ${seconds[name]} s`)
      done(code ?? 1)
    })
  })
}

const wanted = process.argv.slice(2)
const isChosen = ({ name }: Step) => wanted.length === 0 || wanted.some((word) => name.includes(word))
const failed: string[] = []
let passed = 0

async function runLane(lane: Step[], isAlone: boolean): Promise<void> {
  for (const step of lane) {
    if (failed.length > 0) return
    if ((await run(step, isAlone)) === 0) passed++
    else failed.push(step.name)
  }
}

for (const stage of stages) {
  const lanes = stage.map((lane) => lane.filter(isChosen)).filter((lane) => lane.length > 0)
  await Promise.all(lanes.map((lane) => runLane(lane, lanes.length === 1)))
}
// CI has the machine to itself and leaves it as it was; a developer keeps the lab.
if (process.env.CI === 'true') await run({ name: 'lab down', argv: ['bin/lab', 'down'] }, true)
// Which step grew is only known when it was written down before.
const total = (performance.now() - began) / 1000
for (const [name, took] of Object.entries(seconds)) console.log(`${took.toFixed(1).padStart(8)} s  ${name}`)
console.log(`${total.toFixed(1).padStart(8)} s  in all`)
const line = { at: new Date().toISOString(), total: Math.round(total), failed, seconds }
if (wanted.length === 0) appendFileSync('.ci/times.jsonl', `${JSON.stringify(line)}\n`)
console.log(failed.length === 0 ? `\n${passed} steps passed` : `\nFailed: ${failed.join(', ')}`)
process.exit(failed.length === 0 ? 0 : 1)
