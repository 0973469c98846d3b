import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../../lab/run.ts'

/** What the server hands out to whoever wants to work with it, beside its own program in a release. */
export const COMMAND_LINE = 'slipway.tgz'

/** The command line as a package for npm: no dependencies, and nothing that runs on installing. */
export async function packCommandLine(checkout: string, release: string, version: string): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'slipway-cli-'))
  try {
    const dir = join(work, 'package')
    mkdirSync(dir)
    cpSync(join(release, 'cli'), join(dir, 'dist'), { recursive: true })
    const { name, description, license } = JSON.parse(readFileSync(join(checkout, 'cli/package.json'), 'utf8'))
    const bin = { slipway: 'dist/main.cjs' }
    const about = { name, version, description, license, type: 'module', bin, engines: { node: '>=22' } }
    writeFileSync(join(dir, 'package.json'), `${JSON.stringify(about, null, 2)}\n`)
    for (const file of ['LICENSE', 'THIRD_PARTY_NOTICES']) cpSync(join(release, file), join(dir, file))
    cpSync(join(checkout, 'cli/NPM.md'), join(dir, 'README.md'))
    const packed = await run(['npm', 'pack', '--silent', '--ignore-scripts', '--pack-destination', work], { cwd: dir })
    cpSync(join(work, packed.trim().split('\n').at(-1) ?? ''), join(release, 'cli', COMMAND_LINE))
  } finally {
    rmSync(work, { recursive: true })
  }
}
