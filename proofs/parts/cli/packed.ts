import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../../../lab/run.ts'
import { startServer } from '../../../test-kit/built-server.ts'
import { plainEnvironment } from '../../../test-kit/server-process.ts'
import type { Check } from './checks.ts'

const MOST_BYTES = 300_000
const ROOT = join(import.meta.dirname, '../../..')
/** As people install it; a day's newer one of the same line is as good. */
const OTHER_NODE = 'node@22'

/** `release` is what a server is started from that speaks to `program`. */
type Packed = { figure: string; program: string; release: string }
type At = { databaseUrl: string; home: string; token: string }

/** What is packed for npm, and what the instance of the same release hands out: installed, and run by two versions of Node. */
export async function packedAndInstalled(check: Check, at: At): Promise<Packed> {
  const release = join(at.home, 'release')
  await run([join(ROOT, 'bin/release'), '--snapshot', '--unpacked', '--out', release], { deadlineMs: 300_000 })
  const packed = join(release, 'cli/slipway.tgz')
  const { size } = statSync(packed)
  check(`packed ${(size / 1000).toFixed(0)} kB; at most ${MOST_BYTES / 1000}`, size <= MOST_BYTES)
  const nodes = [process.execPath, await otherNode(at.home)]
  const server = await startServer({ databaseUrl: at.databaseUrl, release })
  try {
    const fetched = await fetchedFrom(check, server.url, at.home)
    for (const [name, file] of Object.entries({ 'npm pack': packed, 'the instance': fetched }))
      await runsEverywhere(check, { name, file, nodes, url: server.url, ...at })
    const env = { ...plainEnvironment(), HOME: at.home, SLIPWAY_URL: server.url, SLIPWAY_TOKEN: at.token }
    const told = await run(['npx', '--yes', `${server.url}/cli/slipway.tgz`, 'whoami', '--json'], { env })
    check('as a pipeline does, by npx from the instance', JSON.parse(told).success !== false)
  } finally {
    await server.stop()
  }
  const program = programIn(prefixOf(at.home, 'npm pack'))
  return { figure: `packed ${(size / 1000).toFixed(0)} kB, runs on Node 22 and 24`, program, release }
}

async function otherNode(home: string): Promise<string> {
  const folder = join(home, 'node')
  mkdirSync(folder)
  await run(['npm', 'install', '--silent', '--no-audit', '--no-fund', '--prefix', folder, OTHER_NODE])
  return join(folder, 'node_modules/node/bin/node')
}

/** By the two lines of the how-to: fetched, and compared with the sum that lies beside it. */
async function fetchedFrom(check: Check, url: string, home: string): Promise<string> {
  const folder = join(home, 'fetched')
  mkdirSync(folder)
  for (const name of ['slipway.tgz', 'slipway.tgz.sha256']) {
    const answer = await fetch(`${url}/cli/${name}`)
    writeFileSync(join(folder, name), Buffer.from(await answer.arrayBuffer()))
  }
  const compared = await run(['sha256sum', '--check', 'slipway.tgz.sha256'], { cwd: folder })
  check(`what the instance hands out: ${compared.trim()}`, compared.includes('OK'))
  return join(folder, 'slipway.tgz')
}

const prefixOf = (home: string, name: string) => join(home, `installed from ${name}`)
const programIn = (prefix: string) => join(prefix, 'lib/node_modules/@slipway/cli/dist/main.cjs')

type Package = At & { name: string; file: string; nodes: string[]; url: string }

async function runsEverywhere(check: Check, { name, file, nodes, url, home, token }: Package): Promise<void> {
  const prefix = prefixOf(home, name)
  await run(['npm', 'install', '--silent', '--no-audit', '--no-fund', '--global', '--prefix', prefix, file])
  for (const node of nodes) {
    const env = { ...plainEnvironment(), HOME: home, SLIPWAY_URL: url, SLIPWAY_TOKEN: token }
    const version = (await run([node, '--version'], { env })).trim()
    const told = await run([node, programIn(prefix), 'whoami', '--json'], { env })
    const email = JSON.parse(told).user?.email
    check(`from ${name}, installed, on Node ${version}: whoami is ${email}`, email === 'owner@example.com')
  }
}
