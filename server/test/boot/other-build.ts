import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../../..')

const DEPLOYS_ANEW = 'const deployPipeline = (parts: DeployParts): Pipeline => ({\n  version: 2,'

export type OtherBuild = { path: string; remove(): void }

/** The next release: the same program with one more migration, whose deployments are of another version. */
export function otherBuild(migration: string, statements: string, contract: string): OtherBuild {
  const path = mkdtempSync(join(tmpdir(), 'slipway-build-'))
  for (const name of ['server/src', 'server/package.json'])
    cpSync(join(root, name), join(path, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(path, 'node_modules'))
  symlinkSync(join(root, 'server/node_modules'), join(path, 'server/node_modules'))
  const source = join(path, 'server/src')
  const files = readdirSync(source, { recursive: true })
    .map(String)
    .filter((name) => /(?<!\.test)\.ts$/.test(name))
  /** In the one file that says so, wherever that is. */
  const change = (from: string, to: string) => {
    const found = files.map((name) => join(source, name)).filter((file) => readFileSync(file, 'utf8').includes(from))
    const [file, ...more] = found
    if (file === undefined || more.length > 0) throw new Error(`${found.length} files say ${from}`)
    writeFileSync(file, readFileSync(file, 'utf8').replace(from, to))
  }
  const up = `import { sql } from 'kysely'\nexport const up = (db) => sql\`${statements}\`.execute(db)\n`
  writeFileSync(join(path, 'server/src/db/migrations', `${migration}.ts`), up)
  const all = 'export const migrations: Record<string, SchemaMigration> = {'
  change(all, `import { up as other } from './${migration}.ts'\n${all}\n  '${migration}': { up: other, ${contract} },`)
  change('const deployPipeline = (parts: DeployParts): Pipeline => ({', DEPLOYS_ANEW)
  change("kind: 'deploy',", "kind: 'deploy', version: 2,")
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
