import { readdirSync } from 'node:fs'

/** A claim about Slipway and the program that shows it. */
export type Proof = {
  claim: string
  /** Short enough to run in bin/ci. */
  quick: boolean
  /** `figure` is what was measured; `ok` says whether the bar was met; `partial`, that it was not tried at its full size. */
  prove(): Promise<{ ok: boolean; figure: string; partial?: true }>
}

const names = () =>
  readdirSync(import.meta.dirname, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && entry.name !== 'main.ts')
    .map((entry) => entry.name.slice(0, -3))
    .sort()

const load = (name: string): Promise<Proof> => import(`./${name}.ts`)

async function list(): Promise<void> {
  for (const name of names()) {
    const { claim, quick } = await load(name)
    console.log(`${name.padEnd(18)}${quick ? 'quick  ' : '       '}${claim}`)
  }
}

async function run(name: string): Promise<boolean> {
  const proof = await load(name)
  console.log(`${name}: ${proof.claim}`)
  const { ok, figure, partial } = await proof.prove()
  const word = ok ? 'PROVED' : 'MISSED'
  console.log(`${ok && partial ? 'PARTIAL' : word} ${name}: ${figure}`)
  return ok
}

const [wanted] = process.argv.slice(2)
if (wanted === undefined) await list()
else if (!names().includes(wanted)) {
  console.error(`There is no proof named ${wanted}. bin/prove lists them.`)
  process.exitCode = 2
} else process.exitCode = (await run(wanted)) ? 0 : 1
process.exit()
