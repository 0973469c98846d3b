import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MODES, type Mode } from '@slipway/contract/endpoint'
import { bootstrap, startServer } from '../test-kit/built-server.ts'
import { createDatabase } from '../test-kit/database.ts'
import { ROWS, type Row } from '../test-kit/interface-routes.ts'
import { type Ended, runMatrix } from './parts/foreign-ids/run-matrix.ts'
import { type Ask, asker } from './parts/modes/ask.ts'

export const claim =
  'self-hosted and as a cloud, an instance serves what the interface says for that mode, with its permissions, and no organization meets another'
export const kind = 'story'
export const quick = false

/** Fewer tests than this of one mode are not the matrix. */
const FEWEST = 200

type Check = (what: string, seen: unknown, wanted: unknown) => void
type Asked = { mode: Mode; url: string; owner: Ask; stranger: Ask; check: Check }

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const faults: string[] = []
  let checks = 0
  const check: Check = (what, seen, wanted) => {
    checks++
    if (JSON.stringify(seen) === JSON.stringify(wanted)) return
    faults.push(what)
    console.log(`  FAULT ${what}: ${JSON.stringify(seen)} instead of ${JSON.stringify(wanted)}`)
  }
  for (const mode of MODES) await inMode(mode, check)
  const matrix = await runMatrix(null)
  for (const name of matrix.failed) console.log(`  FAULT matrix: ${name}`)
  const ran = MODES.map((mode) => `${testsOf(matrix, mode)} ${mode}`)
  const whole = MODES.every((mode) => testsOf(matrix, mode) >= FEWEST)
  return {
    ok: faults.length === 0 && whole && matrix.failed.length === 0,
    figure:
      `${ROWS.length} routes of the interface in both modes: ${checks} checks, ${faults.length} faults; ` +
      `two-organization matrix: ${ran.join(' and ')} tests, ${matrix.failed.length} failed`,
  }
}

const testsOf = ({ names }: Ended, mode: Mode) => names.filter((name) => name.includes(`(${mode})`)).length

async function inMode(mode: Mode, check: Check): Promise<void> {
  const database = await createDatabase({ migrated: true })
  const root = mkdtempSync(join(tmpdir(), 'slipway-modes-'))
  const { token } = await bootstrap(database.url)
  const local = { BACKUP_ALLOW_LOCAL_DESTINATION: 'true', BACKUP_LOCAL_ROOT: root }
  const env = { SLIPWAY_MODE: mode, SLIPWAY_LOCAL_SOURCES: root, SLIPWAY_ACME_DIRECTORY: 'off', ...local }
  const server = await startServer({ databaseUrl: database.url, env })
  try {
    const asked = { mode, url: server.url, owner: asker(server.url, token), stranger: asker(server.url), check }
    await routes(asked)
    await documents(asked)
    await conditions(asked, root)
  } finally {
    await server.stop()
    await database.drop()
    rmSync(root, { recursive: true, force: true })
  }
}

/** Who may ask, route by route: nobody, one who lacks the permission, and one who has it. */
async function routes({ mode, url, owner, stranger, check }: Asked): Promise<void> {
  const { body } = await owner('POST', '/api/tokens', { name: 'lacks everything', scopes: ['audit:list'] })
  const lacking = asker(url, String(body.secret))
  for (const row of ROWS) {
    const title = `${mode}: ${row.method} ${row.path}`
    const ask = (one: Ask) => one(row.method, row.path.replace(/:\w+/g, 'none'), row.method === 'GET' ? undefined : {})
    const [nobody, without, full] = [await ask(stranger), await ask(lacking), await ask(owner)]
    if (row.only !== null && row.only !== mode) {
      for (const answer of [nobody, without, full])
        check(`${title} is not there`, [answer.status, answer.code], [404, 'route_not_found'])
      continue
    }
    if (row.permission !== 'public') {
      check(`${title} by nobody`, [nobody.status, nobody.body.success], [401, false])
      check(`${title} without ${row.permission}`, [without.status, without.requires], [403, row.permission])
    }
    check(`${title} is there`, [401, 403].includes(full.status) || full.code === 'route_not_found', false)
  }
}

/** The interface's part of the document that an instance gives out is the interface. */
async function documents({ mode, stranger, check }: Asked): Promise<void> {
  const { body } = await stranger('GET', '/api/openapi.json')
  const paths = body.paths as Record<string, Record<string, { 'x-permission': string }>>
  const said = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, row]) => `${method.toUpperCase()} ${path} ${row['x-permission']}`),
  )
  const line = ({ method, path, permission }: Row) => `${method} ${path.replace(/:(\w+)/g, '{$1}')} ${permission}`
  const wanted = ROWS.filter(({ only }) => only === null || only === mode).map(line)
  const missing = wanted.filter((one) => !said.includes(one))
  check(`${mode}: what the OpenAPI document lacks`, missing, [])
  const elsewhere = ROWS.filter(({ only }) => only !== null && only !== mode).map(line)
  const tooMany = elsewhere.filter((one) => said.includes(one))
  check(`${mode}: what the OpenAPI document has too many`, tooMany, [])
}

/** What a mode does to a field of a request. */
async function conditions({ mode, owner, check }: Asked, root: string): Promise<void> {
  const hosted = mode === 'cloud'
  mkdirSync(join(root, 'app'))
  writeFileSync(join(root, 'app', 'index.html'), '<h1>here</h1>')
  const folder = await owner('POST', '/api/deployments/prepare', { source: 'local', path: 'app' })
  check(`${mode}: a folder of the server itself`, folder.status, hosted ? 403 : 200)
  const project = await owner('POST', '/api/projects', { name: 'folders' })
  const files = [{ path: 'a', sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', size: 0 }]
  for (const [meant, wanted] of [
    [undefined, hosted ? [403, 'local_source_refused'] : [400, 'not_sealed']],
    ['cloud', hosted ? [400, 'not_sealed'] : [404, 'not_found']],
  ] as const) {
    const opened = await owner('POST', '/api/projects/folder-sessions', { files, ...(meant && { mode: meant }) })
    check(`${mode}: an upload for ${meant ?? 'anywhere'}`, opened.status, meant === 'cloud' && !hosted ? 400 : 201)
    const uploadSessionId = opened.body.uploadSessionId ?? 'upl_01k2v9r6c8h3n5q7s9t0w2x4y6'
    const answer = await owner('POST', '/api/deployments/build/access', { projectId: project.body.id, uploadSessionId })
    check(`${mode}: deploying it`, [answer.status, answer.code], wanted)
  }
  const kept = await owner('POST', '/api/backup-destinations', {
    kind: 'local',
    name: 'here',
    endpoint: join(root, 'b'),
  })
  check(`${mode}: a local destination`, kept.status, hosted ? 400 : 201)
  const promoted = await owner('POST', '/api/deployments/build/access', {
    projectId: project.body.id,
    deployTarget: 'cloud',
  })
  if (!hosted) check(`${mode}: promoting without a link`, promoted.status, 400)
}
