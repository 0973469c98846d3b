import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { labPart } from '../lab/ask.ts'
import { tool } from '../lab/tools.ts'
import { openSite, type Site } from '../test-kit/site.ts'
import { chosen } from './ledger/sizes.ts'
import { type Arrived, throughHealthChecks, throughRuntime } from './parts/fuzz/arrive.ts'
import { throughBuild, throughPaths } from './parts/fuzz/build.ts'
import { misheard } from './parts/fuzz/heard.ts'
import { throughNames, throughPrompts, throughSources } from './parts/fuzz/names.ts'
import { startRecorder } from './parts/fuzz/record.ts'

export const claim = 'hostile text reaches programs, engine and containers as data and as nothing else'
export const kind = 'story'
export const quick = false

const ROUNDS = 3

/** Which texts, and where one of them would leave its trace if anything ran it. */
type Round = { canary: string; seed: number }

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const seed = Number(chosen('SLIPWAY_FUZZ_SEED') ?? randomBytes(4).readInt32BE())
  const canary = join(tmpdir(), `canary-${randomBytes(6).toString('hex')}`)
  const recorder = await startRecorder({ ...labPart('engine'), git: tool('git') })
  const site = await openSite({ name: 'fuzz', env: recorder.env })
  try {
    await site.start()
    await site.addLocalServer()
    const arrived = await followed(site, { canary, seed })
    const said = misheard(recorder, basename(canary))
    for (const fault of said.slice(0, 30)) console.log(`    ${fault}`)
    const faults = [...arrived.flatMap((one) => one.faults), ...said]
    const values = arrived.reduce((sum, one) => sum + one.values, 0)
    const figure = `${faults.length} of ${values} hostile values arrived as anything but themselves, at ${recorder.argvs().length} programs, ${recorder.calls.length} calls of the engine and in containers; ${existsSync(canary) ? 'some were' : 'none was'} run (seed ${seed})`
    return { ok: faults.length === 0 && !existsSync(canary), figure }
  } finally {
    await site.close()
    recorder.close()
  }
}

async function followed(site: Site, { canary, seed }: Round): Promise<Arrived[]> {
  const all: Arrived[] = []
  const follow = async (what: string, work: Promise<Arrived>) => {
    // What stops a deployment has not arrived as data either; the other ways are still tried.
    const one = await work.catch((error: Error): Arrived => ({ values: 1, faults: [error.message] }))
    console.log(`  ${what}: ${one.values} values, ${one.faults.length} faults`)
    for (const fault of one.faults.slice(0, 20)) console.log(`    ${fault}`)
    all.push(one)
  }
  const project = async (name: string) => ({ id: await site.project(name), name })
  const [echo, built, paths] = [await project('echo'), await project('built'), await project('paths')]
  await follow('images, repositories, branches', throughSources(site, { canary, seed }, 60))
  await follow('answers to questions', throughPrompts(site, { canary, seed }, 60))
  await follow('names of projects, services, hosts, paths', throughNames(site, { canary, seed }, 12))
  for (let round = 0; round < ROUNDS; round++) {
    const hostile = { canary, seed: seed + 1000 * round }
    await follow('arguments, variables, health check', throughRuntime(site, echo, hostile))
    await follow('folders, build commands, build secrets', throughBuild(site, built, hostile))
  }
  await follow('paths of health checks', throughHealthChecks(site, echo, { canary, seed }, 8))
  await follow('paths of Dockerfiles and output folders', throughPaths(site, paths, { canary, seed }, 8))
  return all
}
