import { spawn } from 'node:child_process'
import pg from 'pg'
import { labPart } from '../lab/ask.ts'
import type { Lab } from '../lab/state.ts'
import { type Kind, testKinds } from '../test-kit/kinds.ts'

/** `npm test`: runs the tests that this machine can, and says at the end which it left out and how to get them. */
const missing: Partial<Record<Kind, string>> = { ...(await missingDatabase()), ...missingLab() }
const kinds = testKinds()
const able = (['unit', 'database', 'lab', 'quiet'] as const).filter((kind) => missing[kind] === undefined)
const code = await vitest(able, process.argv.slice(2))
console.log(`\nRan: ${able.map((kind) => `${kind} (${kinds[kind].length} files)`).join(', ')}.`)
for (const [kind, how] of Object.entries(missing))
  console.log(`Left out: ${kind} (${kinds[kind as Kind].length} files). ${how}`)
process.exit(code)

/** What was named must answer: to go on without it would call half a run a whole one. */
async function missingDatabase(): Promise<{ database?: string }> {
  const url = process.env.SLIPWAY_TEST_DATABASE_URL
  if (!url) {
    if (runs('postgres')) return {}
    return {
      database:
        'They need a PostgreSQL in which they may create databases: docker compose up --detach --wait, then ' +
        'SLIPWAY_TEST_DATABASE_URL=postgres://postgres:slipway@127.0.0.1:54329/postgres npm test',
    }
  }
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  try {
    await client.connect()
    await client.end()
    return {}
  } catch (error) {
    console.error(`The PostgreSQL that SLIPWAY_TEST_DATABASE_URL names does not answer: ${(error as Error).message}.`)
    console.error('Start it or correct the address; without the variable, npm test leaves out the tests that need it.')
    process.exit(1)
  }
}

function missingLab(): { lab?: string; quiet?: string } {
  const parts = ['postgres', 'engine', 'host1', 'host2', 'registry', 'caddy', 'acme', 's3', 'sftp', 'githost'] as const
  if (process.getuid?.() === 0 && parts.every(runs)) return {}
  const how =
    'They need the lab: bin/setup, then bin/lab up, as root on Debian 12; the dev container of this repository is such a machine.'
  return { lab: how, quiet: how }
}

function runs(part: keyof Lab): boolean {
  try {
    labPart(part)
    return true
  } catch {
    return false
  }
}

function vitest(projects: Kind[], args: string[]): Promise<number> {
  const options = ['--conditions=slipway-source', '--disable-warning=ExperimentalWarning', process.env.NODE_OPTIONS]
  const child = spawn('vitest', ['run', ...projects.flatMap((kind) => ['--project', kind]), ...args], {
    stdio: 'inherit',
    env: { ...process.env, NODE_OPTIONS: options.filter(Boolean).join(' ') },
  })
  return new Promise((done) => {
    child.once('error', (error) => {
      console.error(`vitest could not start: ${error.message}. Run npm install first.`)
      done(127)
    })
    child.once('exit', (ended) => done(ended ?? 1))
  })
}
