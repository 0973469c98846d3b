import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { act, rowsOf } from '../act.ts'
import type { Row, Stage } from '../stage.ts'

const { row, control } = rowsOf('builds')
const AT_ONCE = 4
const TRIES = 12

/**
 * Steps of builds are on one bridge of the engine, with the right to raw packets. So those of two projects are never there
 * at the same time; the control shows what could happen if they were.
 */
export async function builds(stage: Stage): Promise<Row[]> {
  return [await apart(stage), await together(stage)]
}

type Span = { from: number; to: number }

async function apart(stage: Stage): Promise<Row> {
  const name = `${AT_ONCE} projects that build at the same time`
  const attackers = await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => stage.attacker(`builder-${n}`)))
  const spans = await Promise.all(
    attackers.map(async (attacker) => {
      const script = `console.log('BEGIN ' + Date.now()); setTimeout(() => console.log('END ' + Date.now()), 3000)`
      const Dockerfile = `FROM node:24-slim\nRUN echo ${attacker.name} && node -e "${script}"\nCMD ["sleep", "1"]\n`
      const { id, refused } = await act(attacker, { Dockerfile })
      if (id === undefined) throw new Error(refused)
      await attacker.ended(id, 240)
      const log = await attacker.buildLog(id)
      const said = (word: string) => Number(new RegExp(`${word} (\\d+)`).exec(log)?.[1] ?? Number.NaN)
      return { from: said('BEGIN'), to: said('END') }
    }),
  )
  if (spans.some(({ from, to }) => !(to > from))) return row(name, 'no result', JSON.stringify(spans))
  const both = overlaps(spans)
  return row(name, both === 0 ? 'harmless' : 'WORKED', `${both} pairs of steps were there at the same time`)
}

const overlaps = (spans: Span[]): number =>
  spans.flatMap((a, n) => spans.slice(n + 1).filter((b) => a.from < b.to && b.from < a.to)).length

/** Two builds of the engine's own client: one answers what the other asks of the outside. */
async function together({ ground, look }: Stage): Promise<Row> {
  const gateway = (await ground.api.getNetwork('bridge').inspect()).IPAM?.Config?.[0]?.Gateway ?? ''
  const folder = (name: string, step: string): string => {
    const path = join(ground.folder, name)
    mkdirSync(path, { recursive: true })
    writeFileSync(join(path, 'Dockerfile'), `FROM ${look}\nRUN ${step}\n`)
    return path
  }
  const asking = `fetch('http://${ground.listener.address}/', { signal: AbortSignal.timeout(1500) }).then((a) => a.text()).catch(() => '').then(console.log)`
  const thief = folder('thief', `/arp take eth0 ${gateway} 30 255.255.255.255 any || true`)
  const asker = folder('asker', `sleep 3; for n in $(seq ${TRIES}); do node -e "${asking}" >> /got; done`)
  const [, got] = await Promise.all([
    ground.docker('build', '--no-cache', '--quiet', thief),
    ground
      .docker('build', '--no-cache', '--quiet', asker)
      .then((image) => ground.docker('run', '--rm', image.trim(), 'cat', '/got')),
  ])
  const taken = got.split('attacker').length - 1
  return control('two builds on one bridge', taken > 0, `${taken} of ${TRIES} downloads answered by the other build`)
}
