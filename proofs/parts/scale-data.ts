import type { PoolClient } from 'pg'
import type { TestDatabase } from '../../test-kit/database.ts'
import { adoptionRows, githostRows } from './scale-data-hosts.ts'
import { HEAD, id, rowsOf, type Sizes } from './scale-rows.ts'

/** The secret of token n; the server knows its hash. */
export const secretOf = (n: number) => `slp_proof_${n}`

/** What an invitation's link would carry, for invitation n. */
export const codeOf = (n: number) => `${CODE}${n}`
const CODE = 'the-code-of-invitation-'

/** Ten deployments a project, and ten events that are still in the database for each of them. */
export function sizesFor(deployments: number): Sizes {
  const projects = Math.round(deployments / 10)
  return {
    deployments,
    projects,
    orgs: Math.round(projects / 10),
    people: Math.max(4 * HEAD, Math.round(projects / 5)),
    servers: Math.max(4 * HEAD, Math.round(projects / 5)),
    tokens: Math.max(4 * HEAD, projects),
    rest: Math.max(4 * HEAD, Math.round(projects / 5)),
  }
}

/**
 * Fills a migrated database as an instance with this many deployments would be: two organizations with a hundredth of
 * everything each, the others from a few dozen rows to a third of a percent.
 */
export async function fill(database: TestDatabase, deployments: number): Promise<void> {
  const started = performance.now()
  const client = await database.pool.connect()
  try {
    await client.query(`set statement_timeout = 0; set maintenance_work_mem = '1GB'`)
    const inserts = tables(sizesFor(deployments))
    await refuseUnknownTables(client, Object.keys(inserts))
    const restore = await withoutIndexes(client)
    for (const [table, text] of Object.entries(inserts)) {
      const from = performance.now()
      const done = await client.query(text)
      if (deployments > 1e6) console.log(`  ${table}: ${done.rowCount} rows in ${secondsSince(from)}`)
    }
    await restore()
    await client.query('vacuum analyze')
  } finally {
    client.release(true)
  }
  console.log(`  ${deployments.toLocaleString('en')} deployments and what belongs to them: ${secondsSince(started)}`)
}

const secondsSince = (from: number) => `${((performance.now() - from) / 1000).toFixed(0)} s`

/** Tables that stay small whatever the instance holds, or are not the subject of any request. */
const LEFT_EMPTY = [
  'migration',
  'migration_lock',
  'verification',
  'rate_limit',
  'schedule',
  'run_limit',
  'acme_account',
  'acme_order',
  'sealing_key',
  'instance',
  'schema_floor',
  'build_in_use',
]

/** A table of a later migration that nobody fills here would be fast for the wrong reason. */
async function refuseUnknownTables(client: PoolClient, filled: string[]): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname <> all ($1)`,
    [[...filled, ...LEFT_EMPTY]],
  )
  const names = rows.map((row) => row.name).join(', ')
  if (names) throw new Error(`proofs/parts/scale-data.ts does not fill ${names}: say there how many rows it would have`)
}

/** Rows go in faster without indexes; they are put back as the migration made them, read from the catalog. */
async function withoutIndexes(client: PoolClient): Promise<() => Promise<void>> {
  const constraints = await client.query<{ rel: string; name: string; def: string; kind: string }>(
    `select conrelid::regclass::text as rel, conname as name, pg_get_constraintdef(oid) as def, contype as kind
     from pg_constraint where connamespace = 'public'::regnamespace and contype in ('f', 'p', 'u')
     order by contype = 'f' desc`,
  )
  const indexes = await client.query<{ name: string; def: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as def from pg_index
     join pg_class on pg_class.oid = indexrelid where relnamespace = 'public'::regnamespace
       and not exists (select from pg_constraint where conindid = indexrelid)`,
  )
  for (const { rel, name } of constraints.rows) await client.query(`alter table ${rel} drop constraint "${name}"`)
  for (const { name } of indexes.rows) await client.query(`drop index ${name}`)
  const all = await client.query<{ rel: string }>(
    `select oid::regclass::text as rel from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r' and relpersistence = 'p'`,
  )
  for (const { rel } of all.rows) await client.query(`alter table ${rel} set unlogged`)
  return async () => {
    for (const { def } of indexes.rows) await client.query(def)
    for (const { rel, name, def, kind } of constraints.rows.toReversed()) {
      await client.query(`alter table ${rel} add constraint "${name}" ${def}${kind === 'f' ? ' not valid' : ''}`)
    }
  }
}

const tables = (size: Sizes): Record<string, string> => ({
  organization: `insert into organization (id, name)
    select ${id('org', 'n')}, 'Organization ' || n from generate_series(0, ${size.orgs - 1}) n`,
  person: `insert into person (id, name, email)
    select ${id('usr', 'n')}, 'Person ' || n, 'person' || n || '@example.com' from generate_series(0, ${size.people - 1}) n`,
  credential: `insert into credential (id, user_id, account_id, provider_id, password)
    select ${id('crd', 'n')}, id, id, 'credential', repeat('0', 32) || ':' || repeat('0', 128) from
      (select id, row_number() over (order by id) as n from person) as people`,
  session: `insert into session (id, token, user_id, expires_at)
    select ${id('ses', 'n')}, md5('session' || n), ${id('usr', `n % ${size.people}`)}, now() + interval '7 days'
    from generate_series(0, ${size.rest - 1}) n`,
  member: `insert into member (org_id, user_id, role) select ${id('org', 'k')}, ${id('usr', 'u')}, role from (
      select k, k % ${size.people} as u, 'owner' as role from generate_series(0, ${size.orgs - 1}) k
      union all select k, (k + 1) % ${size.people}, 'developer' from generate_series(1, ${size.orgs - 1}) k
      union all select 0, u, 'developer' from generate_series(1, ${HEAD}) u
      union all select k, 0, 'viewer' from generate_series(1, ${Math.min(HEAD, size.orgs - 1)}) k) as members`,
  invitation: `insert into invitation (id, org_id, email, role, code_hash, expires_at, accepted_at)
    select ${id('inv', 'n')}, ${id('org', 'k')}, 'guest' || n || '@example.com', 'viewer', sha256(('${CODE}' || n)::bytea),
      now() + interval '7 days', case when n >= ${HEAD} and n % 3 > 0 then now() end from ${rowsOf(size.rest, size.orgs)}`,
  // Server ${HEAD} + k is organization k's own.
  server: `insert into server (id, org_id, name, kind, host, port, login_user, private_key, public_key)
    select ${id('srv', 'n')}, ${id('org', 'k')}, 'server-' || n, 'ssh', 'host' || n || '.example.com', 22, 'root',
      repeat('k', 600), repeat('p', 80) from (
        select n, case when n < ${HEAD} then 0 else (n - ${HEAD}) % ${size.orgs} end as k
        from generate_series(0, ${size.servers - 1}) n) as rows`,
  backup_destination: `insert into backup_destination (id, org_id, name, name_key, kind, bucket, access_key_id, secret_access_key,
      next_verify_at)
    select ${id('dst', 'n')}, ${id('org', 'k')}, 'destination-' || n, 'destination-' || n, 's3_compatible', 'bucket-' || n,
      repeat('a', 120), repeat('s', 120), now() + random() * interval '1 day' from ${rowsOf(size.rest, size.orgs)}`,
  registry: `insert into registry (id, org_id, host, path, username, password)
    select ${id('reg', 'n')}, ${id('org', 'k')}, 'registry.example.com', 'team-' || n, 'deploy', repeat('s', 120)
    from ${rowsOf(size.rest, size.orgs)}`,
  project: `insert into project (id, org_id, name, repository, branch, server_id, settings)
    select ${id('prj', 'n')}, ${id('org', 'k')}, 'project-' || n,
      case when n % 10 < 7 then 'https://git.example.com/team/project-' || n end, 'main',
      case when n % 2 = 0 then ${id('srv', `${HEAD} + k`)} end, '{"rollbackWindow": 8}' from ${rowsOf(size.projects, size.orgs)}`,
  service: `insert into service (project_id, org_id, name, config)
    select ${id('prj', '0')}, ${id('org', '0')}, 'service-' || n, '{"build": ".", "port": 3000}'::jsonb
    from generate_series(1, ${HEAD}) n
    union all select id, org_id, 'web', '{"build": ".", "port": 3000}' from project where right(id, 1) < '4'`,
  variable: `insert into variable (id, project_id, org_id, service, name, scope, value)
    select ${id('var', 'n')}, project_id, org_id, service, name, 'runtime', repeat('v', 150) from (
      select row_number() over () as n, * from (
        select ${id('prj', '0')} as project_id, ${id('org', '0')} as org_id, 'service-' || (n % 3) as service, 'NAME_' || n as name
        from generate_series(1, ${HEAD}) n
        union all select id, org_id, '', 'DATABASE_URL' from project where right(id, 1) < '8') as each) as rows`,
  token: `insert into token (id, org_id, user_id, name, hash, hint, project_id)
    select ${id('tok', 'n')}, ${id('org', 'k')},
      case when n < ${HEAD} and n % 2 = 1 then ${id('usr', 'n')} else ${id('usr', `k % ${size.people}`)} end,
      'token-' || n, sha256(('slp_proof_' || n)::bytea), 'slp_proo',
      case when n in (2, 3) then ${id('prj', '0')} end from ${rowsOf(size.tokens, size.orgs)}`,
  cli_sign_in: `insert into cli_sign_in (id, request_hash, user_code_hash, challenge, name, address, expires_at)
    select ${id('clr', 'n')}, sha256(('request' || n)::bytea), sha256(('user' || n)::bytea), sha256(('challenge' || n)::bytea),
      'laptop', '192.0.2.1', now() + random() * interval '1 day' from generate_series(0, ${size.rest - 1}) n`,
  instance_link: `insert into instance_link (id, org_id, token_id, instance_id, name, created_by)
    select ${id('lnk', 'n')}, org_id, id, 'ins_' || n, 'instance-' || n, user_id from (
      select row_number() over (order by id) as n, * from token where right(id, 1) = '4') as tokens`,
  cloud_link: `insert into cloud_link (org_id, url, link_id, cloud_org_id, cloud_org_name, credential, linked_by)
    select id, 'https://cloud.example.com', id, id, name, repeat('s', 120), id from organization where right(id, 1) = '2'`,
  link_attempt: `insert into link_attempt (org_id, url, secret, user_code, verify_url, interval_seconds, begun_by, expires_at)
    select id, 'https://cloud.example.com', repeat('s', 200), 'K7QM-4T2X', 'https://cloud.example.com/device', 5, id,
      now() + random() * interval '1 day' from organization where right(id, 1) = '6'`,
  sign_in_try: `insert into sign_in_try (key, count) select 'key-' || n, 1 from generate_series(0, ${size.rest - 1}) n`,
  audit: `insert into audit (org_id, id, action, target, actor_kind, actor_id, actor_name, address, detail)
    select ${id('org', 'k')}, ${id('aud', 'n')},
      (array['project.update', 'token.create', 'server.check', 'variable.set', 'member.invite'])[1 + n % 5],
      case when n < ${HEAD} and n % 4 = 0 then ${id('prj', '0')} else ${id('prj', `n % ${size.projects}`)} end, 'user',
      ${id('usr', `k % ${size.people}`)}, 'Person', '192.0.2.1', '{"name": "shop"}'
    from ${rowsOf(Math.round(size.projects / 2), size.orgs)}`,
  idempotency: `insert into idempotency (org_id, credential_id, key, request_hash, claim, status, response, started_at)
    select ${id('org', 'k')}, ${id('tok', 'n')}, 'key-' || n, sha256(n::text::bytea), md5(n::text), 201, '{"id": "x"}',
      now() - random() * interval '24 hours' from ${rowsOf(size.rest, size.orgs)}`,
  folder_session: `insert into folder_session (id, org_id, project_id, files, file_count, byte_count, expires_at)
    select ${id('upl', 'n')}, ${id('org', 'k')}, null, (select jsonb_agg(jsonb_build_object(
        'p', 'file-' || f, 'h', encode(sha256(('blob' || (n * 3 + f))::bytea), 'hex'), 's', 1000, 'm', 420))
      from generate_series(0, 4) f), 5, 5000, now() + interval '1 day' from ${rowsOf(size.rest, size.orgs)}`,
  blob: `insert into blob (org_id, sha256, size, location, touched_at)
    select ${id('org', 'k')}, sha256(('blob' || n)::bytea), 1000, 'blobs/' || n, now() - random() * interval '30 days'
    from ${rowsOf(size.tokens, size.orgs)}`,
  blob_sweep: `insert into blob_sweep (org_id, due_at)
    select id, now() + random() * interval '1 day' from organization`,
  blob_project: `insert into blob_project (org_id, sha256, project_id)
    select org_id, sha256, ${id('prj', '0')} from blob where org_id = ${id('org', '0')}`,
  // Of each project one in ten is the newest, and that one serves.
  deployment: `insert into deployment (id, org_id, project_id, server_id, number, status, active, trigger, source, request,
      branch, created_by, next_seq, started_at, finished_at)
    select ${id('dep', 'n')}, org_id, project_id, server_id, n,
      case when newest then 'ready' else (array['ready', 'failed', 'cancelled', 'superseded'])[1 + n % 4] end,
      newest, 'manual', '{"kind": "image", "image": "nginx"}', '{}', 'main', '{"kind": "user", "name": "Person"}',
      2, now(), now() from (
        select n, ${id('org', '0')} as org_id, ${id('prj', '0')} as project_id, false as newest
        from generate_series(0, ${HEAD - 1}) n
        union all select ${HEAD} + row_number() over () as n, org_id, id, turn = 10
        from generate_series(1, 10) turn, project) as rows
      join (select org_id, min(id) as server_id from server group by org_id) as servers using (org_id)`,
  deployment_event: `insert into deployment_event (deployment_id, seq, at, type, data)
    select ${id('dep', '0')}, n, now(), 'log', '{"stream": "stdout", "line": "building"}'::jsonb from generate_series(11, 900) n
    union all select id, seq, now(), 'log', '{"stream": "stdout", "line": "building"}'
    from deployment, generate_series(1, 10) seq`,
  deployment_segment: `insert into deployment_segment (deployment_id, first_seq, last_seq, location, keep_until)
    select id, 1, 2, org_id || '/' || id || '/1-2', now() + random() * interval '1 year'
    from deployment where right(id, 1) = '8'`,
  host_name: `insert into host_name (host, org_id, project_id, kind)
    select lower(right(id, 26)) || '.example.com', org_id, id, 'free' from project where right(id, 1) = '1'`,
  host_path: `insert into host_path (host, service, port) select host, 'web', 3000 from host_name`,
  certificate: `insert into certificate (id, org_id, project_id, host, look_at, serial, installed, not_before, not_after, renew_at)
    select 'crt_' || right(project_id, 26), org_id, project_id, host, now() + random() * interval '6 hours', '1', '1',
      now(), now() + interval '90 days', now() + random() * interval '60 days' from host_name`,
  run: `insert into run (id, lane, kind, org_id, input, status, started_at, finished_at)
    select id, 'project/' || project_id, 'deploy', org_id, '{"deployment": "dep_1"}', 'succeeded', now(), now() from deployment`,
  run_step: `insert into run_step (run_id, name, fence, output, ended_at)
    select id, name, 1, '{"image": "sha256:0"}', now() from run, unnest(array['source', 'build', 'release']) name`,
  ...githostRows(size),
  ...adoptionRows(),
})
