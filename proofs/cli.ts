import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bootstrap, startServer } from '../test-kit/built-server.ts'
import { createDatabase } from '../test-kit/database.ts'
import { openSite } from '../test-kit/site.ts'
import { checks } from './parts/cli/checks.ts'
import { everyCommand } from './parts/cli/every-command.ts'
import { changing, cuts, folders, memory } from './parts/cli/folders.ts'
import { following } from './parts/cli/following.ts'
import { journey } from './parts/cli/journey.ts'
import { newcomer } from './parts/cli/newcomer.ts'
import { packedAndInstalled } from './parts/cli/packed.ts'
import { signingIn } from './parts/cli/sign-in.ts'
import { startUp } from './parts/cli/start-up.ts'
import { terminal } from './parts/cli/terminal.ts'

export const claim =
  'The command line takes people from signing in to a rollback, starts like an empty program, says everything as JSON also when it fails, ' +
  'and loses no line and no file over connections that are cut.'
export const kind = 'story'
export const quick = false

/** Nobody listens there. */
const DEAD = 'http://127.0.0.1:9'

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const database = await createDatabase({ migrated: true })
  const { token } = await bootstrap(database.url)
  const home = mkdtempSync(join(tmpdir(), 'slipway-cli-'))
  const server = await startServer({ databaseUrl: database.url, env: { SLIPWAY_UPLOAD_FILES: '60000' } })
  const { check, count, missed } = checks()
  try {
    const machine = { home, env: { SLIPWAY_URL: server.url, SLIPWAY_TOKEN: token } }
    const world = { machine, server: { host: '127.0.0.1', port: Number(new URL(server.url).port) }, token }
    const packed = await packedAndInstalled(check, { databaseUrl: database.url, home, token })
    const figures = [
      packed.figure,
      await startUp(check, machine, packed.program),
      await everyCommand(check, machine, DEAD),
      await terminal(check, machine),
      await signingIn(check, machine),
      await folders(check, world),
      await changing(check, world),
      await cuts(check, world),
      await memory(check, world),
    ]
    // As people have it: the instance and the command line are of one release.
    process.env.SLIPWAY_PROVE_RELEASE = packed.release
    figures.push(...(await onEngine(check, home, packed.program)))
    const figure = `${count()} checks, ${missed().length} missed: ${figures.join('; ')}`
    return { ok: missed().length === 0, figure }
  } finally {
    await server.stop()
    rmSync(home, { recursive: true, force: true })
    await database.drop()
  }
}

/** What needs something that runs: deployments, their failures, and their output while the server is replaced. */
async function onEngine(check: ReturnType<typeof checks>['check'], home: string, program: string): Promise<string[]> {
  const site = await openSite({ name: 'cli' })
  try {
    const { url } = await site.start()
    await site.addLocalServer()
    const machine = { home, env: { SLIPWAY_URL: url, SLIPWAY_TOKEN: site.token } }
    return [
      await newcomer(check, site, machine, program),
      await journey(check, site, machine),
      await following(check, site, machine),
    ]
  } finally {
    await site.close()
  }
}
