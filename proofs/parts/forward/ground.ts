import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tool } from '../../../lab/tools.ts'
import { newId } from '../../../server/src/db/ids.ts'
import { bootstrap } from '../../../test-kit/built-server.ts'
import type { TestDatabase } from '../../../test-kit/database.ts'
import { content, sendFolderBy } from '../../../test-kit/send-folder.ts'
import { openSite, type Site } from '../../../test-kit/site.ts'
import { authorities } from '../../../test-kit/tls-listeners.ts'
import { until } from '../../../test-kit/until.ts'

const PASSWORD = 'correct horse battery'

/** A cloud and an instance of one's own, linked as people link them, each with its own database. */
export type Ground = Awaited<ReturnType<typeof openGround>>

type Options = {
  name?: string
  /** Of both. */
  env?: Record<string, string>
  /** Files that the logs of each are added to. */
  logs?: { own: string; cloud: string }
  onAnswer?: (path: string, text: string) => void
}

export async function openGround({ name = 'fwd', env = {}, logs, onAnswer }: Options = {}) {
  const front = await openFront()
  // Its servers are the lab's, at addresses that nobody has; git hosts of a proof are programs on this machine.
  const networks = '198.18.0.0/15,127.0.0.0/8'
  const hosted = { SLIPWAY_MODE: 'cloud', SLIPWAY_PUBLIC_URL: front.url, SLIPWAY_ALLOWED_NETWORKS: networks, ...env }
  const heard = onAnswer && { onAnswer }
  const cloud = await openSite({ name: `${name}cloud`, env: hosted, ...heard, ...(logs && { logFile: logs.cloud }) })
  const linked = { SLIPWAY_CLOUD_URL: front.url, SLIPWAY_CLOUD_CA_FILE: front.caFile, ...env }
  const own = await openSite({ name: `${name}own`, env: linked, slot: 1, ...heard, ...(logs && { logFile: logs.own }) })
  const close = async () => {
    await own.close()
    await cloud.close()
    front.close()
  }
  try {
    await cloud.start({ role: 'worker' })
    front.to(await cloud.start({ role: 'api' }))
    await own.start()
    await link(own, cloud, front.url)
    // The front is for people; from here on both sides meet without it.
    await leadTo(own, cloud.base())
    const server = await cloud.addHost('host1')
    // There is no registry to have bases from.
    await cloud.ask('PATCH', `/api/servers/${server}`, { policy: { localImages: true } })
    return { cloud, own, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Where the instance finds its cloud; what a proof puts there instead plays a cloud that is not well. */
export async function leadTo(own: Site, url: string): Promise<void> {
  await (own.database as TestDatabase).pool.query('update cloud_link set url = $1', [url])
}

/** TLS in front of the cloud, as its edge would have it. */
export async function openFront() {
  const made = authorities(tool('openssl'))
  const authority = made.authority('Slipway proof')
  const folder = mkdtempSync(join(tmpdir(), 'slipway-front-'))
  const caFile = join(folder, 'ca.pem')
  writeFileSync(caFile, authority.root)
  let port = 0
  const server = createServer(authority.issue(['localhost']), (asked, answer) => {
    const { method, headers, url: path } = asked
    const onward = request({ host: '127.0.0.1', port, method, headers, path }, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers)
      answered.pipe(answer)
    })
    onward.once('error', () => answer.destroy())
    asked.pipe(onward)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    caFile,
    to: ({ url }: { url: string }) => {
      port = Number(new URL(url).port)
    },
    close: () => {
      server.closeAllConnections()
      server.close()
      made.remove()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** By a code: asked for here, approved there by the owner in a session of theirs. */
export async function link(own: Site, cloud: Site, origin: string): Promise<void> {
  const { userCode } = await own.ask('POST', '/api/cloud/link', {})
  const { link: setup } = (await bootstrap(cloud.databaseUrl)) as unknown as { link: string }
  const post = (path: string, body: object, cookie = '') =>
    fetch(`${cloud.base()}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin, 'sec-fetch-site': 'same-origin', cookie },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(20_000),
    })
  await post('/api/auth/accept', { code: setup.split('#')[1], password: PASSWORD, name: 'Ada' })
  const signedIn = await post('/api/auth/sign-in/email', { email: 'owner@example.com', password: PASSWORD })
  const cookie = signedIn.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')
  const approved = await post(`/api/auth/cli/${userCode}/approve`, {}, cookie)
  if (!approved.ok) throw new Error(`the link was not approved: ${approved.status} ${await approved.text()}`)
  await until('the instance is linked', 60_000, async () => {
    const { state } = await own.ask('GET', '/api/cloud/link')
    return state === 'linked' || undefined
  })
}

/** Deploys a folder at the cloud. */
export async function deployThere({ cloud }: Pick<Ground, 'cloud'>, name: string, dockerfile: string): Promise<string> {
  const { id } = await sendFolderBy(
    async (method, path, type, body) => {
      const opens = path.endsWith('/folder-sessions')
      const sent = opens ? JSON.stringify({ ...JSON.parse(String(body)), mode: 'cloud' }) : body
      const answer = await fetch(`${cloud.base()}${path}`, {
        method,
        headers: { authorization: `Bearer ${cloud.token}`, ...(sent !== undefined && { 'content-type': type }) },
        ...(sent !== undefined && { body: typeof sent === 'string' ? sent : new Uint8Array(sent) }),
        signal: AbortSignal.timeout(60_000),
      })
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
      return answer.json() as Promise<{ uploadSessionId: string; missing: string[] }>
    },
    [content('Dockerfile', dockerfile)],
  )
  const projectId = (await cloud.ask('POST', '/api/projects', { name })).id
  return (await cloud.ask('POST', '/api/deployments/build/access', { projectId, uploadSessionId: id })).deployment_id
}

/** What a promotion leaves here: a project whose target is the cloud, and the deployment by its id there. */
export async function know({ cloud, own }: Pick<Ground, 'cloud' | 'own'>, id: string): Promise<void> {
  const shown = await cloud.show(id)
  const { pool } = own.database as TestDatabase
  const projectId = newId('prj')
  await pool.query(
    `insert into project (id, org_id, name, target, cloud_project_id) values ($1, $2, $3, 'cloud', $4)`,
    [projectId, own.orgId, `cloud-${id.slice(-8)}`, shown.projectId],
  )
  await pool.query('insert into cloud_deployment (id, org_id, project_id, shown) values ($1, $2, $3, $4)', [
    id,
    own.orgId,
    projectId,
    JSON.stringify(shown),
  ])
}
