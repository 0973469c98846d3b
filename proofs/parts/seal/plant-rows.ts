import { newId } from '../../../server/src/db/ids.ts'
import { parseKeyRing } from '../../../server/src/drivers/crypto/key-ring.ts'
import type { TestDatabase } from '../../../test-kit/database.ts'
import type { Site } from '../../../test-kit/site.ts'
import type { SecretMaker } from './secrets.ts'

type Scene = { database: TestDatabase; site: Site; ring: string; secret: SecretMaker }

/** What only a CA gives, and the lab has none here: an account and a certificate, as they are kept. */
export async function plantCertificate({ database: { pool }, site, ring, secret }: Scene): Promise<void> {
  const keys = parseKeyRing(ring)
  const project = await site.project('certified')
  const account = newId('acc')
  await pool.query('insert into acme_account (id, directory_url, key_sealed) values ($1, $2, $3)', [
    ...[account, 'https://ca.invalid/directory'],
    keys.seal(secret.any(), `acme_account/${account}/key`),
  ])
  await site.ask('POST', `/api/projects/${project}/domains`, { host: 'seal.example.com' })
  const { rows } = await pool.query<{ id: string }>(
    `update certificate set look_at = now() + interval '1 day' where project_id = $1 returning id`,
    [project],
  )
  const id = rows[0]?.id ?? ''
  const sealed = keys.seal(secret.any(), `certificate/${id}/pem`)
  await pool.query('update certificate set pem_sealed = $2 where id = $1', [id, sealed])
}

/** What only a git host gives: an app with its key and secrets, an account, a connect that is under way, a hook. */
export async function plantGitHost({ database: { pool }, site, ring, secret }: Scene): Promise<void> {
  const keys = parseKeyRing(ring)
  const [app, account, attempt, hook] = [newId('gha'), newId('ghc'), newId('ght'), newId('ghh')]
  const sealed = (place: string) => keys.seal(secret.any(), place)
  const ofApp = ['private_key', 'client_secret', 'hook_secret', 'old_hook_secret']
  await pool.query(
    `insert into githost_app (id, org_id, host, app_id, slug, owner, client_id, hook_key, ${ofApp})
     values ($1, $2, 'git.invalid', 1, 'app', 'owner', 'client', 'k', $3, $4, $5, $6)`,
    [app, site.orgId, ...ofApp.map((name) => sealed(`githost_app/${app}/${name}`))],
  )
  const ofAccount = ['token', 'refresh_token'].map((name) => sealed(`githost_account/${account}/${name}`))
  await pool.query(
    `insert into githost_account (id, org_id, kind, login, token, refresh_token) values ($1, $2, 'oauth', 'octo', $3, $4)`,
    [account, site.orgId, ...ofAccount],
  )
  const ofAttempt = ['secret', 'return_to'].map((name) => sealed(`githost_attempt/${attempt}/${name}`))
  await pool.query(
    `insert into githost_attempt (id, org_id, user_id, kind, secret, return_to, expires_at)
     select $1, $2, id, 'oauth', $3, $4, now() + interval '1 day' from person limit 1`,
    [attempt, site.orgId, ...ofAttempt],
  )
  await pool.query(
    `insert into githost_hook (id, org_id, host, repo_id, hook_id, hook_key, secret)
     values ($1, $2, 'git.invalid', 1, 1, 'h', $3)`,
    [hook, site.orgId, sealed(`githost_hook/${hook}/secret`)],
  )
}

/** What only a server that is run by hand gives: how one of its services runs there, with its environment. */
export async function plantAdopted({ database: { pool }, site, ring, secret }: Scene, serverId: string): Promise<void> {
  const project = await site.project('adopted')
  const plan = parseKeyRing(ring).seal(secret.any(), `adopted_service/${project}/db/plan`)
  await pool.query(
    `insert into adopted_service (project_id, name, org_id, server_id, key, plan)
     values ($1, 'db', $2, $3, 'container/db', $4)`,
    [project, site.orgId, serverId, plan],
  )
}

/** What only a registry takes: a credential for it, as it is kept. */
export async function plantRegistry({ database: { pool }, site, ring, secret }: Scene): Promise<void> {
  const id = newId('reg')
  const sealed = parseKeyRing(ring).seal(secret.any(), `registry/${id}/password`)
  await pool.query(
    `insert into registry (id, org_id, host, username, password) values ($1, $2, 'registry.invalid', 'deploy', $3)`,
    [id, site.orgId, sealed],
  )
}

/** What only a mail server and a cloud give: a mail that is due later, a link of another organization, and one that is being made. */
export async function plantMailAndLinks({ database: { pool }, ring, secret }: Scene): Promise<void> {
  const keys = parseKeyRing(ring)
  const [mail, org] = [newId('eml'), newId('org')]
  await pool.query(
    `insert into mail (id, to_address, subject, text, due_at)
     values ($1, 'ada@mail.invalid', 'A code', $2, now() + interval '1 day')`,
    [mail, keys.seal(secret.any(), `mail/${mail}/text`)],
  )
  await pool.query('insert into organization (id, name) values ($1, $2)', [org, 'Linked'])
  await pool.query(
    `insert into cloud_link (org_id, url, link_id, cloud_org_id, cloud_org_name, credential, linked_by)
     values ($1, 'https://cloud.invalid', 'link', 'org', 'Acme', $2, 'ada')`,
    [org, keys.seal(secret.any(), `cloud_link/${org}/credential`)],
  )
  await pool.query(
    `insert into link_attempt
       (org_id, url, secret, user_code, verify_url, interval_seconds, ask_at, begun_by, expires_at)
     values ($1, 'https://cloud.invalid', $2, 'CODE', 'https://cloud.invalid/link', 5, now() + interval '1 day', 'ada',
       now() + interval '1 day')`,
    [org, keys.seal(secret.any(), `link_attempt/${org}/secret`)],
  )
}
