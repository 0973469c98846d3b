import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { app, type Files, GOOD } from '../../../test-kit/sample-app.ts'
import type { Site } from '../../../test-kit/site.ts'
import type { Check } from './checks.ts'
import { type Ended, jsonOf, type Machine, runCli } from './run-cli.ts'

const FALLS = `console.error('DATABASE_URL is not set'); process.exit(1)`
const STACK = (worker: string, version: number): Files => ({
  'compose.yaml': `services:
  web:
    build: .
    command: httpd -f -p 8080
    expose: ["8080"]
    environment: { VERSION: "${version}" }
  worker:
    build: .
    command: ${worker}
`,
  Dockerfile: 'FROM busybox:1\n',
})

/** Everything between the first deployment and the last, by the command line alone, and what visitors see of it. */
export async function journey(check: Check, site: Site, machine: Machine): Promise<string> {
  const folder = join(machine.home, 'shop')
  const at = (...argv: string[]) => runCli(machine, argv, { cwd: folder })
  const shows = async (text: string) => (await site.visit('shop')).text === text
  write(folder, app(GOOD, 1))

  const made = await at('init', 'shop', '--json')
  check(`init: exit code ${made.code}, and what is in the folder`, made.code === 0 && 'found' in jsonOf(made))
  const first = await at('deploy', '-m', 'the first one')
  check(`deploy: exit code ${first.code} after ${seconds(first)}`, first.code === 0 && (await shows('version 1')))
  same(check, 'deploy', first.err)
  write(folder, app(GOOD, 2))
  const second = await at('deploy', '--json')
  const { deployment } = jsonOf(second) as { deployment?: { number: number } }
  check(
    `a change: exit code ${second.code}, #${deployment?.number}`,
    second.code === 0 && deployment?.number === 2 && (await shows('version 2')),
  )
  write(folder, app(FALLS, 3))
  const failing = await at('deploy')
  check(`one that falls: exit code ${failing.code}`, failing.code === 5 && (await shows('version 2')))
  check('its reason and its last lines are told', /DATABASE_URL is not set/.test(failing.err + failing.out))
  same(check, 'failed', failing.err)
  const listed = jsonOf(await at('ls', '--json')) as { data: { number: number; status: string; message: string }[] }
  check(
    `ls tells all three, and what the first is about`,
    listed.data.length === 3 && listed.data.at(-1)?.message === 'the first one',
  )
  const back = await at('rollback', '1')
  check(`rollback 1: exit code ${back.code}`, back.code === 0 && (await shows('version 1')))
  const logs = await at('logs', '--json')
  check(`logs: exit code ${logs.code}`, logs.code === 0)
  const late = await at('deploy', '--timeout', '1')
  check(`--timeout 1: exit code ${late.code}, and it goes on`, late.code === 7)
  await site.until(newest(await at('ls', '--json')), ({ timing }) => timing.finishedAt !== null)
  const mistyped = await at('deplyo', '--json')
  check(`a command that there is not: exit code ${mistyped.code}`, mistyped.code === 2)
  await namesAndRemoval(check, at)
  await inPart(check, site, machine)
  return 'the journey by the command line, with exit codes 0, 2, 5, 6 and 7'
}

type At = (...argv: string[]) => Promise<Ended>

async function namesAndRemoval(check: Check, at: At): Promise<void> {
  const added = await at('domains', 'add', 'shop.example.com', '--json')
  const looked = await at('domains', 'check', 'shop.example.com', '--json')
  check(
    `a name that does not lead here: added with ${added.code}, checked with ${looked.code}`,
    added.code === 0 && looked.code === 6,
  )
  check('domains rm', (await at('domains', 'rm', 'shop.example.com', '--yes', '--json')).code === 0)
  const active = await at('rm', '#4', '--yes', '--json')
  const old = await at('rm', '3', '--yes', '--json')
  check(
    `rm: of the active one ${active.code}, of an old one ${old.code}`,
    active.code !== 0 && old.code === 0 && jsonOf(active).success === false,
  )
}

/** A stack of which one part does not come up: it waits, and somebody keeps the rest. */
async function inPart(check: Check, site: Site, machine: Machine): Promise<void> {
  const folder = join(machine.home, 'stack')
  const at: At = (...argv) => runCli(machine, [...argv, '-p', 'stack'], { cwd: folder })
  write(folder, STACK('sleep infinity', 1))
  const up = await at('deploy', '--json')
  check(`a stack: exit code ${up.code}`, up.code === 0)
  write(folder, STACK('sh -c "exit 3"', 2))
  const part = await at('deploy')
  check(`one that comes up in part: exit code ${part.code}`, part.code === 6 && part.err.includes('slipway keep'))
  same(check, 'partial', part.err)
  const kept = await at('keep', '2', '--json')
  const { status, decision } = await site.show(newest(await at('ls', '--json')))
  check(`keep: exit code ${kept.code}, ${status} ${decision}`, kept.code === 0 && decision === 'kept')
}

const newest = (listed: Ended) => (jsonOf(listed) as { data: { id: string }[] }).data[0]?.id ?? ''

export function write(folder: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

/** A screen as it is kept: what differs from run to run is taken out. Kept anew with SLIPWAY_CLI_KEEP=1. */
function same(check: Check, name: string, screen: string): void {
  const kept = join(import.meta.dirname, 'screens', `${name}.txt`)
  const now = stable(screen)
  if (process.env.SLIPWAY_CLI_KEEP === '1') write(dirname(kept), { [`${name}.txt`]: now })
  const before = readFileSync(kept, 'utf8')
  if (before !== now) console.log(now)
  check(`the screen "${name}" is as it was kept`, before === now)
}

const stable = (screen: string): string =>
  screen
    .replaceAll(/\b(dep|prj|upl|srv)_[0-9a-z]+/g, '$1_…')
    .replaceAll(/sha256:[0-9a-f]+/g, 'sha256:…')
    .replaceAll(/\d+(\.\d+)? (ms|s|min|B|kB|MB)\b/g, 'N $2')
    .replaceAll(/N (ms|s|min)\b/g, 'N time')
    .replaceAll(/:\d{4,5}\b/g, ':PORT')
    .replaceAll(/\d+ │/g, 'N │')
    .replaceAll(/--at \d+/g, '--at N')
    // How often it fell before it was seen depends on the moment.
    .replaceAll(/, \d+ times in a row/g, '')
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/ +$/gm, '')

const seconds = ({ ms }: Ended) => `${(ms / 1000).toFixed(1)} s`
