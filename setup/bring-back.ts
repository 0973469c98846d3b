import { askPlatform } from './execute/platform.ts'
import type { Say } from './say.ts'

type Page<One> = { data: One[]; nextCursor: string | null }
type Project = { id: string; name: string }
type Deployment = { id: string; active: boolean; status: string; error: { message: string } | null }

const ENDED = ['ready', 'failed', 'cancelled', 'superseded', 'rejected', 'partial_failure']
const WAIT_MS = 30 * 60_000
const LOOK_MS = 1_000

export type Back = { project: string; status: string; error: string | null }

/**
 * Deploys anew what was live, project by project: after a move the engine has none of it. What it was built from is in the backup,
 * or is fetched at the same commit; its place in line is the platform's to find.
 */
export async function bringBack(token: string, say: Say): Promise<Back[]> {
  const began: { project: string; id: string }[] = []
  for await (const project of all<Project>('/api/projects?limit=100', token)) {
    const live = await liveOf(project.id, token)
    if (!live) continue
    const body = { useExistingCommit: true }
    const again = await askPlatform<{ deployment_id: string }>('POST', `/api/deployments/${live}/redeploy`, token, body)
    began.push({ project: project.name, id: again.deployment_id })
  }
  const back: Back[] = []
  for (const { project, id } of began) {
    const { status, error } = await ended(id, token)
    say(`  ${status === 'ready' ? '✓' : '✗'} ${project} is ${status}${error ? `: ${error.message}` : ''}`)
    back.push({ project, status, error: error?.message ?? null })
  }
  return back
}

async function liveOf(projectId: string, token: string): Promise<string | null> {
  for await (const { id, active } of all<Deployment>(`/api/deployments?limit=100&projectId=${projectId}`, token))
    if (active) return id
  return null
}

async function* all<One>(path: string, token: string): AsyncGenerator<One> {
  let cursor: string | null = null
  do {
    const more: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page: Page<One> = await askPlatform('GET', `${path}${more}`, token)
    yield* page.data
    cursor = page.nextCursor
  } while (cursor !== null)
}

async function ended(id: string, token: string): Promise<Deployment> {
  const end = performance.now() + WAIT_MS
  for (;;) {
    const seen = await askPlatform<Deployment>('GET', `/api/deployments/${id}`, token)
    if (ENDED.includes(seen.status)) return seen
    if (performance.now() > end) throw new Error(`${id} is ${seen.status} after ${WAIT_MS / 60_000} minutes.`)
    await new Promise((next) => setTimeout(next, LOOK_MS))
  }
}
