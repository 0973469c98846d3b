import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterEach, expect, test } from 'vitest'

/** The rules of `bin/ci imports` on a small house that a test has built. */
const folders: string[] = []

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

async function findings(files: Record<string, string>, room = 'server'): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'house-'))
  folders.push(folder)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, room, 'src', name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  const args = ['--config', resolve('.dependency-cruiser.cjs'), room]
  return new Promise((done, fail) => {
    execFile(resolve('node_modules/.bin/depcruise'), args, { cwd: folder }, (error, said, trouble) => {
      if (said.includes('no dependency violations')) done('')
      else if (said.includes('dependency violations')) done(said)
      else fail(error ?? new Error(trouble))
    })
  })
}

const imports = (from: string) => `import type { Some } from '${from}'\nexport type Other = Some\n`
const SOME = 'export type Some = string\n'

test('a noun of core may import one of a lower floor', async () => {
  const house = { 'core/access/caller.ts': SOME, 'core/projects/manage.ts': imports('../access/caller.ts') }
  expect(await findings(house)).toBe('')
})

test('a noun of core that imports one of a higher floor fails, types included', async () => {
  const house = { 'core/access/caller.ts': SOME, 'core/audit/record.ts': imports('../access/caller.ts') }
  expect(await findings(house)).toMatch(/floors-of-core-audit: .*audit\/record\.ts → .*access\/caller\.ts/)
})

test('a circle between two nouns of one floor fails, though no file is in one', async () => {
  const house = {
    'core/members/manage.ts': imports('../servers/store.ts'),
    'core/members/store.ts': SOME,
    'core/servers/manage.ts': imports('../members/store.ts'),
    'core/servers/store.ts': SOME,
  }
  const said = await findings(house)
  expect(said).toContain('floors-of-core-members')
  expect(said).toContain('floors-of-core-servers')
})

test('a noun of core without a floor fails', async () => {
  const house = { 'core/page.ts': SOME, 'core/planted/manage.ts': imports('../page.ts') }
  expect(await findings(house)).toContain('every-noun-of-core-has-a-floor')
})

test('a noun that picks from the parts of all nouns fails', async () => {
  const house = { 'core/platform.ts': SOME, 'core/backups/manage.ts': imports('../platform.ts') }
  expect(await findings(house)).toContain('floors-of-core-backups')
})

test('inside deployments, too, a noun may import one of a lower floor', async () => {
  const house = {
    'core/deployments/rows/release.ts': SOME,
    'core/deployments/rollout/put-back.ts': imports('../rows/release.ts'),
  }
  expect(await findings(house)).toBe('')
})

test('a noun of deployments that imports one of a higher floor fails, types included', async () => {
  const house = {
    'core/deployments/story/pipeline.ts': SOME,
    'core/deployments/release/freeze.ts': imports('../story/pipeline.ts'),
  }
  expect(await findings(house)).toMatch(/floors-of-deployments-release: .*release\/freeze\.ts → .*story\/pipeline\.ts/)
})

test('a circle between two nouns of deployments fails, though no file is in one', async () => {
  const house = {
    'core/deployments/rollout/put-back.ts': imports('../converge/plan.ts'),
    'core/deployments/rollout/ground.ts': SOME,
    'core/deployments/converge/plan.ts': SOME,
    'core/deployments/converge/standing.ts': imports('../rollout/ground.ts'),
  }
  expect(await findings(house)).toContain('floors-of-deployments-converge')
})

test('what stands in deployments without a floor fails', async () => {
  const house = {
    'core/deployments/rows/store.ts': SOME,
    'core/deployments/planted/look.ts': imports('../rows/store.ts'),
  }
  expect(await findings(house)).toContain('every-noun-of-deployments-has-a-floor')
})

test('a driver may use the engine and SSH, and no other driver', async () => {
  const shared = { 'drivers/engine/ask.ts': SOME, 'drivers/edge/caddy.ts': imports('../engine/ask.ts') }
  expect(await findings(shared)).toBe('')
  const other = { 'drivers/runtime/swarm.ts': SOME, 'drivers/edge/caddy.ts': imports('../runtime/swarm.ts') }
  expect(await findings(other)).toContain('drivers-share-only-ssh-and-engine')
})

test('no room may import the process that it is part of', async () => {
  const house = { 'process/wiring.ts': SOME, 'core/tokens/use.ts': imports('../../process/wiring.ts') }
  expect(await findings(house)).toContain('nobody-imports-the-process')
})

test('in the dashboard, parts of pages know no nouns, and the API no pages', async () => {
  const page = { 'deployments/row.tsx': SOME, 'ui/time.tsx': SOME }
  expect(await findings({ ...page, 'overview/page.tsx': imports('../deployments/row.tsx') }, 'dashboard')).toBe('')
  const button = { ...page, 'ui/button.tsx': imports('../deployments/row.tsx') }
  expect(await findings(button, 'dashboard')).toContain('ui-knows-no-nouns')
  const client = { ...page, 'api/client.ts': imports('../ui/time.tsx') }
  expect(await findings(client, 'dashboard')).toContain('api-knows-no-pages')
})

test.each(['FLOORS', 'DEPLOYMENTS'])('ARCHITECTURE.md draws the floors that are checked: %s', (name) => {
  const rules = readFileSync('.dependency-cruiser.cjs', 'utf8')
  const [, table = ''] = new RegExp(`const ${name} = \\[([\\s\\S]*?)\\n\\]`).exec(rules) ?? []
  const floors = [...table.matchAll(/\[(.*?)\]/g)].map(([, nouns = '']) => nouns.replaceAll("'", '').split(', '))
  const page = readFileSync('ARCHITECTURE.md', 'utf8')
  const from = page.indexOf(`\`${name}\``)
  expect(from).toBeGreaterThan(0)
  expect(floors.length).toBeGreaterThan(5)
  const drawn = page.slice(from)
  for (const [floor, nouns] of floors.entries()) {
    const [line = ''] = new RegExp(`^ ?${floor}  .*$`, 'm').exec(drawn) ?? []
    for (const noun of nouns) expect(line).toMatch(new RegExp(`\\b${noun}`))
  }
})
