import { readFileSync } from 'node:fs'
import type { Deployment } from '@slipway/contract/deployment-shape'
import type { Domain } from '@slipway/contract/domains'
import { labPart } from '../../../lab/ask.ts'
import { bootstrap } from '../../../test-kit/built-server.ts'
import { isOver } from '../../../test-kit/deployment.ts'
import type { Site } from '../../../test-kit/site.ts'
import { until } from '../../../test-kit/until.ts'

// biome-ignore lint/suspicious/noExplicitAny: a proof looks at single fields of answers
type Loose = any

/** An organization with an owner's token and a server of its own. */
export type Tenant = Awaited<ReturnType<typeof openTenant>>
type Where = 'engine' | 'host1' | 'host2'

export async function openTenant(site: Site, email: string, where: Where) {
  const { token, orgId } = await bootstrap(site.databaseUrl, email)
  const ask = async (method: string, path: string, body?: unknown): Promise<Loose> => {
    const answer = await fetch(`${site.base()}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(90_000),
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return answer.json()
  }
  const address = await addServer(ask, where)
  const show = (id: string): Promise<Deployment> => ask('GET', `/api/deployments/${id}`)
  return {
    token,
    orgId,
    address,
    ask,
    show,
    project: async (name: string): Promise<string> => (await ask('POST', '/api/projects', { name })).id,
    /** Deploys a small web server that shows a folder of its image, and waits for it unless told otherwise. */
    deploy: async (projectId: string, folder: string): Promise<string> => {
      const command = ['httpd', '-f', '-p', '8080', '-h', folder]
      await ask('PUT', `/api/projects/${projectId}/services/web`, { port: 8080, memoryMb: 32, command })
      const body = { projectId, image: 'busybox:1' }
      return (await ask('POST', '/api/deployments/build/access', body)).deployment_id
    },
    ended: (id: string, seconds = 300): Promise<Deployment> =>
      until(`${id} has ended`, seconds * 1000, async () => {
        const seen = await show(id)
        return isOver(seen) ? seen : undefined
      }),
    domain: async (projectId: string, host: string): Promise<Domain | undefined> =>
      (await ask('GET', `/api/projects/${projectId}/domains?limit=200`)).data.find((one: Domain) => one.host === host),
  }
}

type Ask = (method: string, path: string, body?: unknown) => Promise<Loose>

async function addServer(ask: Ask, where: Where): Promise<string> {
  if (where === 'engine') {
    await ask('POST', '/api/servers', { kind: 'local', name: 'here' })
    return labPart('engine').address
  }
  const { address, port, user, keyFile } = labPart(where)
  const privateKey = readFileSync(keyFile, 'utf8')
  const made = await ask('POST', '/api/servers', { kind: 'ssh', name: where, host: address, port, user, privateKey })
  await ask('POST', `/api/servers/${made.id}/check`)
  return address
}
