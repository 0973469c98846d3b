import type { Deployment } from '@slipway/contract/deployment-shape'
import { isOver, untilDeployment } from './deployment.ts'
import type { Files } from './sample-app.ts'
import { content, type Send, sendFolderBy } from './send-folder.ts'

type Way = {
  send: Send
  /** The body of an answer; rejects when it is a refusal. */
  // biome-ignore lint/suspicious/noExplicitAny: tests and proofs look at single fields of answers
  ask(method: string, path: string, body?: unknown): Promise<any>
  /** How long an end is waited for where nobody says. */
  seconds: number
  everyMs: number
  /** The server may be gone for a while: no answer is not yet one. */
  patient?: boolean
}

/** What a caller does to bring a folder to run, by whatever way requests take. */
export function deploying<Seen extends Pick<Deployment, 'status'> & { timing: { finishedAt: unknown } }>(way: Way) {
  const { send, ask, seconds, everyMs, patient } = way
  const upload = (files: Files): Promise<{ id: string; sent: number }> =>
    sendFolderBy(
      send,
      Object.entries(files).map(([path, text]) => content(path, text)),
    )
  const show = (id: string): Promise<Seen> => ask('GET', `/api/deployments/${id}`)
  const until = (id: string, wanted: (seen: Seen) => boolean, most = seconds): Promise<Seen> => {
    const look = () => (patient ? show(id).catch(() => undefined) : show(id))
    return untilDeployment({ show: look, wanted, seconds: most, everyMs })
  }
  return {
    upload,
    async deploy(projectId: string, files: Files, more: object = {}): Promise<string> {
      const { id } = await upload(files)
      const made = await ask('POST', '/api/deployments/build/access', { projectId, uploadSessionId: id, ...more })
      return made.deployment_id
    },
    project: async (name: string, more: object = {}): Promise<string> =>
      (await ask('POST', '/api/projects', { name, ...more })).id,
    show,
    until,
    ended: (id: string, most = seconds): Promise<Seen> => until(id, isOver, most),
  }
}
