import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench, Row } from './bench.ts'
import { judge } from './readers.ts'

/** Another text each time: a step that was cached prints nothing. */
const show = () => ['FROM busybox:1', 'COPY . /', `RUN echo ${Math.random()}; cat /src/.env`, 'RUN exit 7\n'].join('\n')

/**
 * Both projects have files of the same names, sizes AND times when they are built: by these BuildKit decides whether it sends
 * a file again. Times are the server's own and never equal by themselves, so they are put in order on its disk between two
 * builds, with its own record of them.
 */
export async function equalTimes(bench: Bench): Promise<Row> {
  const { site, owner, thief, secrets, build } = bench
  const files = (file: string) => ({ 'src/.env': `KEY=${file}`, Dockerfile: show() })
  const decoy = 'y'.repeat(secrets.file.length)
  const both = async () => ({
    owners: await build(owner, files(secrets.file)),
    thiefs: await build(thief, files(decoy)),
  })
  await both()
  const changed = [owner, thief].map(({ id }) => setTimes(site.dataDir, id))
  const { owners, thiefs } = await both()
  const kept = [owner, thief].every(({ id }) => hasTimes(site.dataDir, id))
  const verdict = judge(thiefs, [secrets.file])
  const broken = [
    ...(changed.every((count) => count > 0) && kept ? [] : ['the times were not equal']),
    ...(JSON.stringify(owners.lines).includes(secrets.file) ? [] : ['the owner did not get its own file']),
    ...(JSON.stringify(thiefs.lines).includes(decoy) ? [] : ['the thief did not get its own file']),
    ...(verdict === 'untried' ? ['it was not tried'] : verdict),
  ]
  return {
    trap: 'files of equal names, sizes and times',
    tried: 1,
    broken: broken.length > 0 ? [broken.join('; ')] : [],
  }
}

const WHEN = new Date('2026-01-01T00:00:00Z')
type Recorded = { version: number; boot: string; files: [string, { mtime: string }][] }

/** The contexts of a project, with the record beside each. */
function contextsOf(dataDir: string, project: string): { folder: string; record: string }[] {
  const contexts = join(dataDir, 'contexts')
  return readdirSync(contexts).flatMap((server) =>
    readdirSync(join(contexts, server))
      .filter((name) => name.startsWith(`${project}.`))
      .map((name) => ({ folder: join(contexts, server, name), record: join(contexts, server, `.${name}.manifest`) })),
  )
}

function setTimes(dataDir: string, project: string): number {
  let count = 0
  for (const { folder, record } of contextsOf(dataDir, project)) {
    const said: Recorded = JSON.parse(readFileSync(record, 'utf8'))
    for (const [path, file] of said.files) {
      utimesSync(join(folder, path), WHEN, WHEN)
      file.mtime = `${WHEN.getTime()}000000`
      count++
    }
    writeFileSync(record, JSON.stringify(said))
  }
  return count
}

/** The build found them as they were left, and wrote none of them anew. */
const hasTimes = (dataDir: string, project: string): boolean =>
  contextsOf(dataDir, project).every(({ record }) =>
    (JSON.parse(readFileSync(record, 'utf8')) as Recorded).files
      .filter(([path]) => path !== 'Dockerfile')
      .every(([, { mtime }]) => mtime === `${WHEN.getTime()}000000`),
  )
