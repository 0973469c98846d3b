import { createHash } from 'node:crypto'
import type { Site } from '../../../test-kit/site.ts'
import type { Ids } from './fields.ts'

/**
 * One of each thing that an id can name, and a process that serves the API but runs nothing: what is taken stays queued.
 * `over` is a deployment that has ended.
 */
export async function fuzzWorld(site: Site): Promise<Ids> {
  await site.start({ role: 'api' })
  const { id: srv } = await site.ask('POST', '/api/servers', { kind: 'ssh', name: 'far', host: '192.0.2.1' })
  const serverId = await site.addLocalServer()
  const prj = await site.project('fuzzed', { repository: 'https://git.invalid/a.git', branch: 'main', serverId })
  await site.ask('PUT', `/api/projects/${prj}/services/web`, { port: 3000 })
  const files = [{ path: 'empty', sha256: createHash('sha256').digest('hex'), size: 0 }]
  const { uploadSessionId: upl } = await site.ask('POST', '/api/projects/folder-sessions', { files })
  const deploy = async (): Promise<string> =>
    (await site.ask('POST', '/api/deployments', { projectId: prj })).deployment_id
  const over = await deploy()
  const dep = await deploy()
  const login = { sshHost: '192.0.2.1', sshUser: 'keeper', sftpPassword: 'a password' }
  const { id: dst } = await site.ask('POST', '/api/backup-destinations', { kind: 'sftp', name: 'far', ...login })
  return { srv, prj, upl, over, dep, dst }
}
