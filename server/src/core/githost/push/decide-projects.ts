import { ProjectSettings } from '@slipway/contract/projects'
import type { Tx } from '../../../db/database.ts'
import { Refusal } from '../../../errors.ts'
import { submitDeployment } from '../../deployments/verbs/submit.ts'
import { claimHosts } from '../../domains/names/claim.ts'
import * as servers from '../../servers/store.ts'
import type { Heard, Need, PushParts } from './ask-host.ts'
import { decide, type Verdict } from './decide.ts'
import * as deliveries from './delivery-store.ts'
import * as heads from './head-store.ts'

type Looking = { moved: boolean; heard: Heard; now: Date }
type Outcome = { needs: Need[]; waitUntil: Date | null }

/** Each project that follows the head and has not been decided at its `seq`; in the transaction that moved it. */
export async function decideProjects(tx: Tx, parts: PushParts, head: heads.Head, looking: Looking): Promise<Outcome> {
  const seq = Number(head.seq)
  const all = await heads.following(tx, head)
  const pending = all.filter((one) => (one.headRef === head.ref ? Number(one.headSeq) < seq : looking.moved))
  // Linked, or moved to this branch, after its last move: that is not theirs.
  for (const one of all)
    if (one.headRef !== head.ref) await heads.saveProject(tx, head, one.id, looking.moved ? seq - 1 : seq)
  const rows = await deliveries.taken(tx, head)
  const told = rows.at(-1)
  const outcome: Outcome = { needs: [], waitUntil: null }
  const ends: { project: heads.Following; decided: deliveries.Decided }[] = []
  for (const project of pending) {
    const verdict = decide(factsOf(head, project, rows, looking))
    if ('need' in verdict) outcome.needs.push(...needsOf(head, project, verdict.need))
    else if ('waitUntil' in verdict) outcome.waitUntil = earlier(outcome.waitUntil, verdict.waitUntil)
    else ends.push({ project, decided: await carryOut(tx, parts, head, project, verdict, told?.pusher ?? null) })
  }
  for (const { project } of ends) await heads.saveProject(tx, head, project.id, seq)
  await conclude(tx, rows, ends, { outcome, isFollowed: all.length > 0 })
  return outcome
}

function factsOf(head: heads.Head, project: heads.Following, rows: deliveries.DeliveryRow[], { heard, now }: Looking) {
  const { autoDeploy, skipWords, watchPaths } = ProjectSettings.parse(project.settings)
  const { sha } = head
  const own = rows.find(({ after, message }) => after === sha && message !== null)?.message
  const compared = `${project.deployed} ${sha}`
  return {
    ...{ sha, autoDeploy, skipWords, watchPaths, now, deployed: project.deployed, waitingSince: project.waitingSince },
    inCloud: project.target === 'cloud',
    paused: project.autoDeployPaused ? `paused since ${project.active ?? 'a release did not hold'}` : null,
    message: own ?? (sha === null ? null : heard.messages?.get(sha)),
    files: heard.files?.get(compared),
  }
}

function needsOf({ sha }: heads.Head, { deployed }: heads.Following, need: ('message' | 'files')[]): Need[] {
  if (sha === null) return []
  return need.flatMap((what): Need[] => {
    if (what === 'message') return [{ message: sha }]
    return deployed === null ? [] : [{ base: deployed, sha }]
  })
}

const earlier = (a: Date | null, b: Date) => (a === null || b < a ? b : a)

type Final = Exclude<Verdict, { need: unknown } | { waitUntil: unknown }>

async function carryOut(
  tx: Tx,
  parts: PushParts,
  head: heads.Head,
  project: heads.Following,
  verdict: Final,
  pusher: string | null,
): Promise<deliveries.Decided> {
  if ('decision' in verdict) return { ...verdict, projectId: project.id }
  try {
    const deploymentId = await deploy(tx, parts, head, project, pusher)
    return { decision: 'deployed', reason: null, projectId: project.id, deploymentId }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { decision: 'failed', reason: error.message, projectId: project.id }
  }
}

async function deploy(tx: Tx, parts: PushParts, head: heads.Head, project: heads.Following, pusher: string | null) {
  const { orgId } = head
  const [only, ...others] = project.serverId === null ? await servers.firstTwo(tx, orgId) : []
  const serverId = project.serverId ?? (others.length === 0 ? only?.id : undefined)
  if (serverId === undefined || project.repository === null)
    throw new Refusal('no_server', 'The project has no server, and there is not exactly one to choose.')
  const { id, name, repository, branch } = project
  await claimHosts(tx, parts, { id, orgId, name }, () => undefined, undefined)
  const by = { kind: 'push' as const, name: pusher ?? 'git host', orgId }
  const source = { kind: 'git' as const, repo: repository, branch: branch ?? 'HEAD' }
  const request = { buildStrategy: project.buildStrategy ?? 'auto' }
  const wanted = { project: { id, orgId }, serverId, trigger: 'push' as const, source, request }
  return (await submitDeployment(tx, parts, by, wanted)).deployment_id
}

const DECIDED_BEFORE = { decision: 'known' as const, reason: 'every project was decided at this commit already' }
const NOT_FOLLOWED = { decision: 'ignored' as const, reason: 'no project deploys this branch' }

type Ending = { outcome: Outcome; isFollowed: boolean }
type End = { project: heads.Following; decided: deliveries.Decided }

/** The last project's decision stands on the deliveries themselves, those of others on copies of the newest. */
async function conclude(
  tx: Tx,
  rows: deliveries.DeliveryRow[],
  ends: End[],
  { outcome, isFollowed }: Ending,
): Promise<void> {
  const isOver = outcome.needs.length === 0 && outcome.waitUntil === null
  const newest = rows.at(-1)
  if (newest === undefined) return
  const last = isOver ? ends.at(-1) : undefined
  for (const { project, decided } of ends)
    if (project !== last?.project) await deliveries.copy(tx, newest, project.id, decided)
  if (!isOver) {
    const reason = outcome.waitUntil
      ? 'a deployment of the project was queued a moment ago'
      : 'the host is asked about the commit'
    return deliveries.wait(
      tx,
      rows.map(({ id }) => id),
      reason,
    )
  }
  const decided: deliveries.Decided = last?.decided ?? (isFollowed ? DECIDED_BEFORE : NOT_FOLLOWED)
  await deliveries.decide(tx, [newest.id], decided)
  const { deploymentId = null, projectId = null } = decided
  const reason = deploymentId === null ? 'a newer push was decided in its place' : `into ${deploymentId}`
  const older = rows.slice(0, -1).map(({ id }) => id)
  await deliveries.decide(tx, older, { decision: 'coalesced', reason, projectId, deploymentId })
}
