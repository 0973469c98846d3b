import type { Deployment } from '@slipway/contract/deployment-shape'
import { isOver } from '../../../test-kit/deployment.ts'
import type { Files } from '../../../test-kit/sample-app.ts'
import { content, sendFolder } from '../../../test-kit/send-folder.ts'
import type { Answer, Site } from '../../../test-kit/site.ts'
import { until } from '../../../test-kit/until.ts'

export type Attacker = Awaited<ReturnType<typeof openAttacker>>
type Page = { data: { line: string }[]; nextCursor: string | null }

/** Ends all that runs of a project and deletes it: a proof with hundreds of them would slow itself down. */
export async function removeProject(site: Site, project: string): Promise<void> {
  await until(`the end of ${project}`, 120_000, async () => {
    const { body } = await site.call('GET', `/api/deployments?projectId=${project}&limit=20`)
    for (const one of (body?.data ?? []) as Deployment[]) {
      if (!isOver(one)) await site.call('POST', `/api/deployments/${one.id}/cancel`, {})
      else await site.call('DELETE', `/api/deployments/${one.id}?force=true`)
    }
    const { status } = await site.call('DELETE', `/api/projects/${project}?volumes=delete`)
    return status < 300 || status === 404
  })
}

/** Somebody with a project of their own on the victim's server, and a token that is good for that project alone. */
export async function openAttacker(site: Site, serverId: string, name: string) {
  const project = await site.project(name, { serverId })
  const { secret: token } = await site.ask('POST', '/api/tokens', { name, projectId: project })
  const call = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const answer = await fetch(`${site.base()}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    })
    const text = await answer.text()
    return { status: answer.status, text, body: text.startsWith('{') ? JSON.parse(text) : null }
  }
  const pages = async (path: string): Promise<string> => {
    const lines: string[] = []
    let cursor: string | null = null
    do {
      const next: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const { status, body } = await call('GET', `${path}&limit=5000${next}`)
      if (status !== 200) break
      const page = body as Page
      lines.push(...page.data.map(({ line }) => line))
      cursor = page.nextCursor
    } while (cursor !== null && lines.length < 50_000)
    return lines.join('\n')
  }
  return {
    name,
    project,
    token,
    call,
    /** Sends a folder; what cannot be sent is refused with an error that says so. */
    upload: (files: Files) =>
      sendFolder(
        site.base(),
        token,
        Object.entries(files).map(([path, text]) => content(path, text)),
      ),
    /** Asks for a deployment of what `body` names. */
    deploy: (body: object) => call('POST', '/api/deployments/build/access', { ...body, projectId: project }),
    ended: (id: string, seconds: number) =>
      until(`the end of ${id}`, seconds * 1000, async () => {
        const { body } = await call('GET', `/api/deployments/${id}`)
        return body !== null && isOver(body) ? (body as Deployment) : undefined
      }),
    logs: (id: string) => pages(`/api/deployments/${id}/logs?kind=runtime`),
    buildLog: (id: string) => pages(`/api/deployments/${id}/logs?kind=build`),
    cancel: (id: string) => call('POST', `/api/deployments/${id}/cancel`, {}),
  }
}
