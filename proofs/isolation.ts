import { readFileSync } from 'node:fs'
import { labPart } from '../lab/ask.ts'
import { restartDocker } from '../lab/docker.ts'
import { daemonCalled, signal } from '../lab/group.ts'
import { endMachine, startMachine } from '../lab/machine.ts'
import { furnishEngine } from '../lab/parts/engine.ts'
import { partDir } from '../lab/paths.ts'
import { cleared } from '../test-kit/engine.ts'
import { openSite, type Site } from '../test-kit/site.ts'
import { openBenches, type Row, say } from './parts/isolation/bench.ts'
import { controls } from './parts/isolation/controls.ts'
import { connectionCut, deaths, engineKilled } from './parts/isolation/deaths.ts'
import { equalTimes } from './parts/isolation/equal-times.ts'
import { hogs, manyLines } from './parts/isolation/hogs.ts'
import { manners } from './parts/isolation/manners.ts'
import { tryAll, tryToRun } from './parts/isolation/readers.ts'
import { waysIn } from './parts/isolation/ways.ts'

export const claim =
  'a build reads nothing of another project, in either direction and beside its builds, stays within its limits and leaves nothing behind'
export const kind = 'story'
export const quick = false

/** A machine of its own: its engine is killed, and what is done to it must not be done to anybody else's. */
const MACHINE = 'isolation'
const NUMBER = 8

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const machine = await startMachine(MACHINE, NUMBER)
  try {
    const site = await openSite({ name: 'isolation', engine: await furnishEngine(machine) })
    try {
      await site.start()
      return verdict(await everything(site, await site.addLocalServer()))
    } finally {
      await cleared(labPart('host1').socket, site.instance)
      await site.close()
    }
  } finally {
    await endMachine(MACHINE)
  }
}

async function everything(site: Site, serverId: string): Promise<Row[]> {
  const rows: Row[] = []
  const note = (...more: Row[]) => {
    for (const row of more) say(row)
    rows.push(...more)
  }
  const benches = await openBenches(site, serverId)
  const [bench] = benches
  note(...(await controls(bench)))
  for (const direction of benches) {
    console.log(`  of ${direction.owner.name}, by ${direction.thief.name}:`)
    for (const { trap, tries } of waysIn(direction)) note(await tryAll(direction, trap, tries))
    note(await equalTimes(direction))
    note(await tryToRun(direction))
  }
  note(...(await manners(bench)))
  note(await manyLines(bench))
  note(...(await hogs(bench)))
  note(...(await deaths(bench)))
  const { address, port, user, keyFile } = labPart('host1')
  note(await connectionCut(site, { address, port, user, privateKey: readFileSync(keyFile, 'utf8') }))
  note(await engineKilled(bench, killEngine, () => restartDocker(MACHINE, partDir(MACHINE))))
  return rows
}

function killEngine(): void {
  const pid = daemonCalled(MACHINE, 'dockerd')
  if (pid) signal(pid, 'SIGKILL')
}

function verdict(rows: Row[]): { ok: boolean; figure: string } {
  const reads = rows.filter(({ note }) => note === undefined)
  const tried = reads.reduce((sum, row) => sum + row.tried, 0)
  const read = reads.reduce((sum, row) => sum + row.broken.length, 0)
  const others = rows.filter(({ note }) => note !== undefined)
  const held = others.filter(({ broken }) => broken.length === 0)
  const figure = `${tried - read} of ${tried} attempts in ${reads.length} ways failed to read anything of the other project; ${held.length} of ${others.length} limits, ends and manners held`
  return { ok: read === 0 && held.length === others.length, figure }
}
