import { Refusal } from '../server/src/errors.ts'
import { servicesOf } from '../server/src/source/compose/deployable/services-of.ts'
import { readCompose } from '../server/src/source/compose/read.ts'
import { type Case, readCorpus } from './parts/compose/cases.ts'
import { compareProjects } from './parts/compose/compare.ts'
import { askCompose, PROJECT } from './parts/compose/oracle.ts'
import { treeOf } from './parts/compose/tree.ts'

export const claim =
  'Compose files mean what they mean to docker compose; none reads outside of its source or exhausts the reader.'
export const kind = 'story'
export const quick = true

const MOST_MS = 1000
const LEAST_CASES = 80
const AT_ONCE = 2

type Read = { project: Awaited<ReturnType<typeof readCompose>>['project'] } | { refused: Refusal }

export async function prove(): Promise<{ ok: boolean; figure: string }> {
  const cases = readCorpus()
  const tally = new Map(['equal', 'refused', 'confined', 'bounded'].map((kind) => [kind, { good: 0, all: 0 }]))
  let slowest = 0
  const judge = async (given: Case) => {
    const started = performance.now()
    const ours = await read(given)
    if (given.kind === 'bounded') slowest = Math.max(slowest, performance.now() - started)
    const fault = await faultOf(given, ours)
    const count = tally.get(given.kind)
    if (!count) return
    count.all++
    if (fault === undefined) count.good++
    else console.log(`${given.kind} ${given.name}: ${fault}`)
  }
  // Alone first, so that nothing else is measured with them.
  for (const given of cases.filter(({ kind }) => kind === 'bounded')) await judge(given)
  const others = cases.filter(({ kind }) => kind !== 'bounded')
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let given = others.pop(); given; given = others.pop()) await judge(given)
    }),
  )
  const said = (kind: string) => `${tally.get(kind)?.good} of ${tally.get(kind)?.all}`
  const all = [...tally.values()].every(({ good, all }) => good === all)
  return {
    ok: all && (tally.get('equal')?.all ?? 0) >= LEAST_CASES && slowest < MOST_MS,
    figure: `${said('equal')} projects equal, ${said('refused')} refused like compose does, ${said('confined')} kept inside of the source, ${said('bounded')} bombs refused in at most ${slowest.toFixed(0)} ms (under ${MOST_MS})`,
  }
}

async function read({ compose, profiles, environment, ...given }: Case): Promise<Read> {
  const options = { ...(compose && { files: compose }), ...(profiles && { profiles }) }
  try {
    const { project } = await readCompose(treeOf(given), { ...options, environment, projectName: PROJECT })
    return { project }
  } catch (error) {
    if (error instanceof Refusal) return { refused: error }
    throw error
  }
}

/** Undefined where all is as it should be. */
async function faultOf(given: Case, ours: Read): Promise<string | undefined> {
  if (given.kind === 'confined' || given.kind === 'bounded') return refusalFault(given, ours)
  const theirs = await askCompose(given)
  if (given.kind === 'refused') {
    return 'project' in theirs
      ? 'compose accepts it'
      : 'project' in ours
        ? `compose says: ${theirs.refused}`
        : undefined
  }
  if ('refused' in theirs) return `compose refuses it: ${theirs.refused}`
  if ('refused' in ours) return `we refuse it: ${ours.refused.message}`
  return compareProjects(ours.project, theirs.project) ?? deployableFault(ours.project)
}

function refusalFault({ kind }: Case, ours: Read): string | undefined {
  if ('project' in ours) return 'it is accepted'
  const { code, details } = ours.refused
  if (details.hint === undefined) return 'the refusal says nothing about what to do'
  return kind === 'confined' && code !== 'invalid_path'
    ? `it is refused for another reason: ${ours.refused.message}`
    : undefined
}

/** Every project that is read is either told in our words or refused with a reason. */
function deployableFault(project: Parameters<typeof servicesOf>[0]): string | undefined {
  try {
    const { services, order } = servicesOf(project)
    const complete = services.length === Object.keys(project.services).length && order.length === services.length
    return complete ? undefined : 'a service is lost on the way to a deployment'
  } catch (error) {
    return error instanceof Refusal ? undefined : String(error)
  }
}
