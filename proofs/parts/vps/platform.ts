import { request } from 'node:http'
import type { Deployment } from '@slipway/contract/deployment-shape'
import type { Vps } from '../../../lab/vps/boot.ts'
import { isOver, untilDeployment } from '../../../test-kit/deployment.ts'
import type { Files } from '../../../test-kit/sample-app.ts'
import { content, sendFolderBy } from '../../../test-kit/send-folder.ts'

// biome-ignore lint/suspicious/noExplicitAny: a proof looks at single fields of answers
type Loose = any

export type Platform = ReturnType<typeof platformAt>

const SOCKET = '/run/slipway/http.sock'

type Place = { socketPath: string } | { host: string; port: number }

/** The platform of a machine, asked over the socket that systemd holds there. */
export const platformOn = (vps: Vps, token: string) => platformAt({ socketPath: vps.path(SOCKET) }, token)

export function platformAt(place: Place, token: string) {
  const call = (method: string, path: string, type: string, body?: Buffer | string) =>
    new Promise<{ status: number; text: string }>((done, fail) => {
      const headers = {
        host: 'slipway',
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': type, 'content-length': Buffer.byteLength(body) }),
      }
      const asked = request({ ...place, method, path, headers, timeout: 60_000 }, async (answer) => {
        let text = ''
        for await (const piece of answer.setEncoding('utf8')) text += piece
        done({ status: answer.statusCode ?? 0, text })
      })
      asked.on('timeout', () => asked.destroy(new Error(`${method} ${path}: no answer`)))
      asked.on('error', fail)
      asked.end(body)
    })
  const good = async (method: string, path: string, type: string, body?: Buffer | string): Promise<Loose> => {
    const { status, text } = await call(method, path, type, body)
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
    return JSON.parse(text)
  }
  const ask = (method: string, path: string, body?: object): Promise<Loose> =>
    good(method, path, 'application/json', body && JSON.stringify(body))
  const show = (id: string): Promise<Deployment> => ask('GET', `/api/deployments/${id}`)
  return {
    call,
    ask,
    show,
    async project(name: string): Promise<string> {
      return (await ask('POST', '/api/projects', { name, bakeSeconds: 0 })).id
    },
    async deploy(projectId: string, files: Files): Promise<string> {
      const contents = Object.entries(files).map(([path, text]) => content(path, text))
      const { id } = await sendFolderBy(good, contents)
      const body = { projectId, uploadSessionId: id }
      return (await ask('POST', '/api/deployments/build/access', body)).deployment_id
    },
    ended: (id: string, seconds = 300): Promise<Deployment> =>
      untilDeployment({
        show: () => show(id).catch(() => undefined),
        wanted: (seen: Deployment) => isOver(seen),
        seconds,
        everyMs: 100,
      }),
  }
}
