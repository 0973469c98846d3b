import { spawn } from 'node:child_process'
import { basename, join } from 'node:path'
import { labPart } from '../lab/ask.ts'
import { chosen } from './ledger/sizes.ts'
import { badLine } from './parts/bad-line.ts'

export const claim =
  'What is proved of the machine’s own engine holds for a server over SSH, on a line that is late and cut every half minute.'
export const kind = 'story'
export const quick = false

/** At sizes that one evening is enough for; each has a full one of its own on the machine's engine. Named by file: they are parts of this one. */
const PROOFS: Record<string, Record<string, string>> = {
  './journey.ts': {},
  './volumes.ts': {},
  './cancel.ts': {},
  './compose-zero-downtime.ts': {},
  './partial.ts': { SLIPWAY_PARTIAL_CASES: '12' },
  './crash.ts': {},
}

type Ended = { name: string; ok: boolean; last: string }

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const wanted = chosen('SLIPWAY_OVER_SSH_PROOFS')?.split(',')
  const { address, port } = labPart('host1')
  const line = await badLine({ host: address, port })
  const ended: Ended[] = []
  try {
    for (const [file, env] of Object.entries(PROOFS)) {
      const name = basename(file, '.ts')
      if (wanted !== undefined && !wanted.includes(name)) continue
      ended.push(await run(name, { ...env, SLIPWAY_PROVE_OVER_SSH: String(line.port) }))
    }
  } finally {
    line.close()
  }
  const right = ended.filter(({ ok }) => ok).length
  const words = ended.filter(({ ok }) => !ok).map(({ last }) => last)
  const names = ended.map(({ name }) => name).join(', ')
  const figure = `${right} of ${ended.length} (${names}) over a line that was cut ${line.cuts()} times`
  return { ok: right === ended.length && right > 0, figure: [figure, ...words].join('; ') }
}

function run(name: string, env: Record<string, string>): Promise<Ended> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), name], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  process.once('exit', () => child.kill('SIGTERM'))
  let last = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    process.stdout.write(text)
    last = text.trimEnd().split('\n').at(-1) ?? last
  })
  return new Promise((done) => child.once('close', (code) => done({ name, ok: code === 0, last })))
}
