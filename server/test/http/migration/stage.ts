import { readFileSync } from 'node:fs'
import { labPart } from '../../../../lab/ask.ts'
import { dockerApi } from '../../../../lab/docker.ts'
import type { Org } from '../../../../test-kit/world.ts'
import { hostKeyOfLine } from '../../../src/drivers/ssh/host-key.ts'

export type Which = 'host1' | 'host2'

let made = 0

/** A server row for a machine of the lab, its host key confirmed. */
export async function addServer(org: Org, which: Which, change: object = {}): Promise<string> {
  const { address, port, user, keyFile, hostKeyFile, remoteSocket: socketPath } = labPart(which)
  const privateKey = readFileSync(keyFile, 'utf8')
  const hostKey = hostKeyOfLine(readFileSync(hostKeyFile, 'utf8'))
  const body = { kind: 'ssh', name: `server ${++made}`, host: address, port, user, privateKey, hostKey, socketPath }
  const answer = await org.owner.api('POST', '/api/servers', { ...body, ...change })
  if (answer.status !== 201) throw new Error(answer.text)
  return answer.body.id
}

const IMAGE = 'busybox:1'

/** A container made by hand, not started; taken away again by `remove`. */
export async function createContainer(which: Which, name: string, settings: object = {}) {
  const { socket } = labPart(which)
  const body = { Image: IMAGE, Cmd: ['sleep', '3600'], ...settings }
  const { Id } = JSON.parse(await dockerApi(socket, 'POST', `/containers/create?name=${name}`, body))
  return {
    id: Id as string,
    start: () => dockerApi(socket, 'POST', `/containers/${Id}/start`),
    stop: () => dockerApi(socket, 'POST', `/containers/${Id}/stop?t=0`),
    inspect: async () => JSON.parse(await dockerApi(socket, 'GET', `/containers/${Id}/json`)),
    remove: () => dockerApi(socket, 'DELETE', `/containers/${Id}?force=1&v=1`).catch(() => {}),
  }
}

export const composeLabels = (project: string, service: string, folder: string, more: Record<string, string> = {}) => ({
  'com.docker.compose.project': project,
  'com.docker.compose.service': service,
  'com.docker.compose.version': '2.26.1',
  'com.docker.compose.oneoff': 'False',
  'com.docker.compose.container-number': '1',
  'com.docker.compose.project.working_dir': folder,
  'com.docker.compose.project.config_files': `${folder}/compose.yaml`,
  ...more,
})
