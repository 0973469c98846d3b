import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Ledger, readLedger } from '../proofs/ledger/ledger.ts'
import type { Proof } from '../proofs/main.ts'

const BEGIN = '<!-- claims: made by tools/generate.ts from proofs/ledger.json -->'
const END = '<!-- end of claims -->'

/** The README with its table of claims as the proofs and their last figures are. */
export async function withClaims(readme: string): Promise<string> {
  const [before, rest] = readme.split(BEGIN)
  const after = rest?.split(END)[1]
  if (before === undefined || after === undefined)
    throw new Error(`README.md has no place for claims: ${BEGIN} … ${END}`)
  return `${before}${BEGIN}\n${tables(await claims(), readLedger())}\n${END}${after}`
}

type Claim = Pick<Proof, 'claim' | 'kind'> & { name: string }

async function claims(): Promise<Claim[]> {
  const folder = join(import.meta.dirname, '..', 'proofs')
  const files = readdirSync(folder).filter((file) => file.endsWith('.ts') && file !== 'main.ts')
  return Promise.all(
    files.sort().map(async (file) => {
      const { claim, kind }: Proof = await import(join(folder, file))
      return { name: file.slice(0, -3), claim, kind }
    }),
  )
}

const TITLES = { story: '### Stories: what holds or does not', figure: '### Figures: what is measured' } as const

const tables = (all: Claim[], ledger: Ledger): string =>
  (['story', 'figure'] as const)
    .map((kind) =>
      [
        TITLES[kind],
        '',
        table(
          all.filter((one) => one.kind === kind),
          ledger,
        ),
      ].join('\n'),
    )
    .join('\n\n')

function table(all: Claim[], ledger: Ledger): string {
  const rows = all.map(({ name, claim }) => {
    const last = ledger[name]
    const shown = last
      ? `${last.result === 'PROVED' ? 'proved' : '**missed**'} ${last.date}: ${last.figure}`
      : 'not kept yet'
    return `| \`bin/prove ${name}\` | ${cell(claim)} | ${cell(shown)} |`
  })
  return ['| command | claim | last shown |', '|---|---|---|', ...rows].join('\n')
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
