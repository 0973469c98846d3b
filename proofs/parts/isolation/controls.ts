import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Bench, Row } from './bench.ts'
import { judge } from './readers.ts'
import { RAN } from './ways.ts'

const run = promisify(execFile)

/** Each detector is shown something to detect: one that stays silent here has proved nothing above. */
export async function controls(bench: Bench): Promise<Row[]> {
  return [await detectors(bench), await bareEngine(bench)]
}

async function detectors(bench: Bench): Promise<Row> {
  const { thief, secrets, build } = bench
  const values = Object.values(secrets)
  const verdictOf = async (...dockerfile: string[]) =>
    judge(await build(thief, { leaked: secrets.file, Dockerfile: `${dockerfile.join('\n')}\n` }), values)
  const broken: string[] = []
  const expectSeen = (what: string, found: unknown, wanted: unknown) => {
    if (JSON.stringify(found) !== JSON.stringify(wanted)) broken.push(`${what}: ${JSON.stringify(found)}`)
  }
  expectSeen(
    'a secret that is printed',
    await verdictOf('FROM busybox:1', 'COPY leaked /', 'RUN cat /leaked', 'RUN exit 7'),
    ['it was read'],
  )
  expectSeen('a step that runs', await verdictOf('FROM busybox:1', `RUN echo ${RAN}`, 'RUN exit 7'), ['the step ran'])
  expectSeen('a file that says nothing', await verdictOf('FRM busybox:1', 'RUN exit 7'), 'untried')
  expectSeen('an end for no known reason', await verdictOf('FROM busybox:1', 'RUN exit 9').then(length), 1)
  return {
    trap: 'controls: what the tries are judged by',
    tried: 4,
    broken,
    note: 'detectors saw what they were shown',
  }
}

const length = (found: string[] | 'untried') => (found === 'untried' ? found : found.length)

/** The same engine without our measures: the traps are real, and would have been seen. */
async function bareEngine({ site, secrets }: Bench): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), 'sw-bare-'))
  const seen: string[] = []
  const look = async (trap: string, secret: string, builds: (() => Promise<string>)[]) => {
    let last = ''
    for (const build of builds) last = await build()
    if (last.includes(secret)) seen.push(trap)
  }
  const bare = async (name: string, dockerfile: string, files: Record<string, string>, secret?: string) => {
    const context = join(folder, name, 'src')
    mkdirSync(context, { recursive: true })
    for (const [path, text] of Object.entries({ ...files, Dockerfile: dockerfile })) {
      writeFileSync(join(context, path), text)
      utimesSync(join(context, path), 1_800_000_000, 1_800_000_000)
    }
    const given = secret === undefined ? [] : ['--secret', 'id=TOKEN,env=TOKEN']
    const argv = ['build', '--progress=plain', ...given, context]
    const config = join(folder, 'config')
    const env = { DOCKER_HOST: `unix://${site.engine.socket}`, DOCKER_CONFIG: config, TOKEN: secret ?? '' }
    const { stdout, stderr } = await run(site.engine.buildx, argv, { env }).catch((error) => error)
    return `${stdout}${stderr}`
  }
  try {
    const show = `FROM busybox:1\nCOPY .env /\nRUN echo ${Math.random()}; cat /.env; exit 7\n`
    const decoy = 'x'.repeat(secrets.file.length)
    await look('context', secrets.file, [
      () => bare('a', show, { '.env': secrets.file }),
      () => bare('b', show, { '.env': decoy }),
    ])
    const cached = `FROM busybox:1\nRUN --mount=type=secret,id=TOKEN echo ${Math.random()}; cat /run/secrets/TOKEN > /private; true\n`
    await look('cached result', secrets.token, [
      () => bare('c', cached, {}, secrets.token),
      () => bare('d', `${cached}RUN cat /private; exit 7\n`, {}),
    ])
    const mounted = (command: string) => `FROM busybox:1\nRUN --mount=type=cache,id=bare,target=/c ${command}; exit 7\n`
    await look('cache mount', secrets.cache, [
      () => bare('e', mounted(`echo ${secrets.cache} > /c/kept; echo ${Math.random()}`), {}),
      () => bare('f', mounted('cat /c/*'), {}),
    ])
  } finally {
    rmSync(folder, { recursive: true })
  }
  const missing = ['context', 'cached result', 'cache mount'].filter((trap) => !seen.includes(trap))
  const broken = missing.map((trap) => `${trap}: the bare engine did not leak, so the try shows nothing`)
  return { trap: 'controls: the same engine without our measures', tried: 3, broken, note: 'traps leak there' }
}
