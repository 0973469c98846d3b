import type { Site } from '../../../test-kit/site.ts'
import { type Hostile, names, sample } from './samples.ts'

/** How many values were followed to where they arrive, and what came of the others. */
export type Arrived = { values: number; faults: string[] }

/** Says what it was started with. Every request of a health check is kept. */
const ECHO = `
const fs = require('fs'), seen = []
const read = (file) => { try { return JSON.parse(fs.readFileSync(file, 'utf8')) } catch { return null } }
require('http').createServer((q, r) => {
  if (q.headers['user-agent'] === 'slipway') seen.push(q.url)
  const canary = fs.existsSync(process.env.CANARY)
  r.end(JSON.stringify({ argv: process.argv.slice(1), env: process.env, check: read('/tmp/check'), seen, canary }))
}).listen(process.env.PORT)`
const CHECK = `require('fs').writeFileSync('/tmp/check', JSON.stringify(process.argv.slice(1)))`

type Echo = { argv: string[]; env: Record<string, string>; check: string[] | null; seen: string[]; canary: boolean }

/** Deploys an image with hostile arguments, variables and health check, and asks the container what it got. */
export async function throughRuntime(
  site: Site,
  project: { id: string; name: string },
  hostile: Hostile,
): Promise<Arrived> {
  const args = sample(hostile, 60, (text) => text.length <= 10_000)
  const checkArgs = sample({ ...hostile, seed: hostile.seed + 1 }, 60, (text) => text.length <= 10_000)
  const values = sample({ ...hostile, seed: hostile.seed + 2 }, 90)
  const variables = names(hostile, values.length, /^[A-Za-z_][A-Za-z0-9_]{5,30}$/).map((name, n) => ({
    name: `F_${name}`,
    value: values[n] ?? '',
    scope: n % 2 === 0 ? 'runtime' : 'all',
  }))
  await site.ask('PUT', `/api/projects/${project.id}/variables`, {
    variables: [...variables, { name: 'CANARY', value: hostile.canary, scope: 'runtime' }],
  })
  const echo = await run(site, project, {
    command: ['node', '-e', ECHO, '--', ...args],
    healthcheck: { command: ['node', '-e', CHECK, '--', ...checkArgs] },
  })
  const faults = [
    ...differences('argument', args, echo.argv),
    ...differences('argument of the health check', checkArgs, echo.check ?? []),
    ...variables.flatMap(({ name, value }) => differences(`variable ${name}`, [value], [echo.env[name] ?? null])),
    ...(echo.canary ? ['a value was run as a command in the container'] : []),
  ]
  for (const { name } of variables) await site.ask('DELETE', `/api/projects/${project.id}/variables/${name}`)
  return { values: args.length + checkArgs.length + variables.length, faults }
}

/** Health-check paths are asked for as one word of a request line, escaped as a browser would. */
export async function throughHealthChecks(
  site: Site,
  project: { id: string; name: string },
  hostile: Hostile,
  count: number,
): Promise<Arrived> {
  const paths = sample(hostile, 200, (text) => text.length <= 400).filter(
    (_, n, all) => n % Math.ceil(all.length / count) === 0,
  )
  const faults: string[] = []
  for (const path of paths) {
    const echo = await run(site, project, { command: ['node', '-e', ECHO], healthcheck: { path } }).catch(
      (error: Error) => error,
    )
    if (echo instanceof Error) faults.push(`health check ${quoted(path)}: ${echo.message}`)
    else {
      const { pathname, search } = new URL(path.startsWith('/') ? `http://check${path}` : `http://check/${path}`)
      faults.push(...differences('path of a health check', [pathname + search], [echo.seen[0] ?? null]))
    }
  }
  return { values: paths.length, faults }
}

async function run(site: Site, { id, name }: { id: string; name: string }, config: object): Promise<Echo> {
  const service = { name: 'web', port: 3000, memoryMb: 128, ...config }
  const body = { projectId: id, image: 'node:24-slim', services: [service] }
  const { deployment_id } = await site.ask('POST', '/api/deployments/build/access', body)
  const ended = await site.ended(deployment_id)
  if (ended.status !== 'ready') throw new Error(`it ended as ${ended.status}: ${JSON.stringify(ended.error)}`)
  return JSON.parse((await site.visit(name)).text)
}

export function differences(what: string, sent: (string | null)[], got: (string | null)[]): string[] {
  if (sent.length !== got.length) return [`${sent.length} of ${what} were sent and ${got.length} arrived`]
  return sent.flatMap((value, n) =>
    value === got[n] ? [] : [`${what} ${quoted(value)} arrived as ${quoted(got[n] ?? null)}`],
  )
}

export const quoted = (text: string | null) => JSON.stringify(text)?.slice(0, 160)
