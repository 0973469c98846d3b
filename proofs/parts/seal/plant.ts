import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { labPart } from '../../../lab/ask.ts'
import { app, GOOD } from '../../../test-kit/sample-app.ts'
import type { Site } from '../../../test-kit/site.ts'
import type { Bucket } from '../destinations/buckets.ts'
import type { SecretMaker } from './secrets.ts'

const PATH = '/api/backup-destinations'
const VARIABLES = 12

export type Planted = {
  project: string
  variables: Record<string, string>
  /** Destinations that work, with the lab's own logins. */
  working: string[]
  server: string
  first: string
  last: string
}

/** Before what the application prints of what it was given. */
export const TOLD = 'told: '
const TELLS = `console.log('${TOLD}' + Object.entries(process.env).filter(([name]) => name.startsWith('SECRET_')).map(([, value]) => value).join(' | '))`

/** Puts secrets everywhere where the API takes some; and a few that are really used. */
export async function plant(site: Site, bucket: Bucket, secret: SecretMaker): Promise<Planted> {
  const serverId = await site.addLocalServer()
  const project = await site.project('shop', { serverId })
  const variables = Object.fromEntries(Array.from({ length: VARIABLES }, (_, n) => [`SECRET_${n}`, secret.any()]))
  const list = Object.entries(variables).map(([name, value]) => ({ name, value }))
  await site.ask('PUT', `/api/projects/${project}/variables`, { variables: list })
  for (let n = 0; n < 4; n++) {
    const gitCredential = { kind: 'token', token: secret.plain(), username: `user${n}` }
    const repository = 'https://git.invalid/team/app.git'
    await site.ask('POST', '/api/projects', { name: `git ${n}`, repository, branch: 'main', gitCredential })
  }
  for (let n = 0; n < 3; n++) {
    const { privateKey, passphrase } = lockedKey(secret)
    await site.ask('POST', '/api/servers', { kind: 'ssh', name: `far ${n}`, host: '192.0.2.1', privateKey, passphrase })
  }
  await destinations(site, secret)
  await tokens(site, secret)
  await carried(site, serverId, secret)
  const first = await deployed(site, project, 1)
  const last = await deployed(site, project, 2)
  return { project, variables, server: await site.addHost('host1'), working: await working(site, bucket), first, last }
}

type Made = { secret?: string }

/** An answer that shows a secret, which is not to be found anywhere else. */
async function unseen(site: Site, path: string, token: string, body: object, more: object = {}): Promise<Made> {
  const answer = await fetch(`${site.base()}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...more },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  })
  if (!answer.ok) throw new Error(`POST ${path}: ${answer.status}`)
  return (await answer.json()) as Made
}

/** The answer to a request that may be repeated is kept, and shows what is shown once. */
async function tokens(site: Site, secret: SecretMaker): Promise<void> {
  for (let n = 0; n < 2; n++) {
    const key = { 'idempotency-key': `seal-${n}` }
    secret.note(String((await unseen(site, '/api/tokens', site.token, { name: `token ${n}` }, key)).secret))
  }
}

/** Who may only deploy sends variables that hold for one deployment. */
async function carried(site: Site, serverId: string, secret: SecretMaker): Promise<void> {
  const projectId = await site.project('carried', { serverId })
  const wanted = { name: 'deployer', scopes: ['deployment:write'] }
  const token = String((await unseen(site, '/api/tokens', site.token, wanted)).secret)
  secret.note(token)
  const services = [{ name: 'web', environment: { CARRIED: secret.any() } }]
  const body = { projectId, image: 'busybox:1', services }
  await unseen(site, '/api/deployments/build/access', token, body)
}

async function destinations(site: Site, secret: SecretMaker): Promise<void> {
  for (let n = 0; n < 5; n++) {
    const keys = { accessKeyId: secret.plain(), secretAccessKey: secret.any() }
    await site.ask('POST', PATH, {
      kind: 's3_compatible',
      name: `bucket ${n}`,
      endpoint: 'http://127.0.0.1:9',
      bucket: 'b',
      ...keys,
    })
    const login = { sshHost: '127.0.0.1', sshPort: 9, sshUser: 'nobody' }
    const { privateKey, passphrase } = lockedKey(secret)
    const { id } = await site.ask('POST', PATH, {
      ...{ kind: 'sftp', name: `login ${n}`, ...login },
      ...{ sftpPassword: secret.any(), sftpPrivateKey: privateKey, sftpKeyPassphrase: passphrase },
    })
    await site.ask('PATCH', `${PATH}/${id}`, { sftpPassword: secret.any() })
  }
  const { data } = await site.ask('GET', `${PATH}?limit=200`)
  for (const { id } of data) await site.ask('POST', `${PATH}/${id}/preflight`)
}

/** A private key that is encrypted: a line from its middle is as secret as its passphrase. */
function lockedKey(secret: SecretMaker): { privateKey: string; passphrase: string } {
  const passphrase = secret.plain()
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem', cipher: 'aes-128-cbc', passphrase },
  })
  const [line = ''] = privateKey.split('\n').slice(10, 11)
  secret.note(line)
  return { privateKey, passphrase }
}

async function deployed(site: Site, project: string, version: number): Promise<string> {
  const id = await site.deploy(project, app(`${TELLS}\n${GOOD}`, version))
  const { status, error } = await site.ended(id)
  if (status !== 'ready') throw new Error(`a deployment is ${status}: ${JSON.stringify(error)}`)
  return id
}

async function working(site: Site, bucket: Bucket): Promise<string[]> {
  const { endpoint, main } = labPart('s3')
  const sftp = labPart('sftp')
  const login = { sshHost: sftp.address, sshPort: sftp.port, sshUser: sftp.user }
  const key = { sftpPrivateKey: readFileSync(sftp.lockedKeyFile, 'utf8'), sftpKeyPassphrase: sftp.passphrase }
  const prefix = { pathPrefix: `seal-${process.pid}` }
  const bodies = [
    { kind: 's3_compatible', name: 'works: bucket', endpoint, bucket: bucket.name, ...main },
    { kind: 'sftp', name: 'works: password', ...login, sftpPassword: sftp.password, ...prefix },
    { kind: 'sftp', name: 'works: key', ...login, ...key, ...prefix },
  ]
  const made: { id: string }[] = []
  for (const body of bodies) made.push(await site.ask('POST', PATH, body))
  return made.map(({ id }) => id)
}

/** What does not work of what should, with the keys that the process has now. */
export async function notWorking(site: Site, { project, variables, working, server }: Planted): Promise<string[]> {
  const faults: string[] = []
  const revealed = await site.ask('POST', `/api/projects/${project}/variables/reveal`)
  const values = new Map(revealed.variables.map(({ name, value }: Record<string, string>) => [name, value]))
  for (const [name, value] of Object.entries(variables))
    if (values.get(name) !== value) faults.push(`${name} is another`)
  for (const id of working) {
    const { ok, reason } = await site.ask('POST', `${PATH}/${id}/preflight`)
    if (!ok) faults.push(reason)
  }
  const { report } = await site.ask('POST', `/api/servers/${server}/check`)
  if (!report.ok) faults.push(`the server is not reached: ${JSON.stringify(report.checks)}`)
  return faults
}
