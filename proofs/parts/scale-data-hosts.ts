import { HEAD, id, rowsOf, type Sizes } from './scale-rows.ts'

/** One connection for each organization; repositories, heads and deliveries as projects have them. */
export const githostRows = (size: Sizes): Record<string, string> => ({
  githost_app: `insert into githost_app (id, org_id, host, app_id, slug, owner, client_id, private_key, hook_secret, hook_key)
    select ${id('gha', 'k')}, ${id('org', 'k')}, 'github.com', k, 'app-' || k, 'owner-' || k, 'client', repeat('k', 200),
      repeat('s', 100), 'key-' || k from generate_series(0, ${size.orgs - 1}) k`,
  githost_installation: `insert into githost_installation (app, installation_id, account_id, account_login, account_type, selection)
    select ${id('gha', 'k')}, k, k, 'owner-' || k, 'Organization', 'all' from generate_series(0, ${size.orgs - 1}) k`,
  githost_link: `insert into githost_link (id, org_id, app, installation_id, proof_login)
    select ${id('ghl', 'k')}, ${id('org', 'k')}, ${id('gha', 'k')}, k, 'person' from generate_series(0, ${size.orgs - 1}) k`,
  githost_account: `insert into githost_account (id, org_id, kind, login, token)
    select ${id('ghc', 'k')}, ${id('org', 'k')}, 'oauth', 'person', repeat('t', 100)
    from generate_series(0, ${size.orgs - 1}) k where k % 2 = 0`,
  githost_attempt: `insert into githost_attempt (id, org_id, user_id, kind, status, expires_at)
    select ${id('ght', 'n')}, ${id('org', 'k')}, ${id('usr', `k % ${size.people}`)}, 'oauth', 'bound', now() + random() * interval '1 day'
    from ${rowsOf(size.rest, size.orgs)}`,
  githost_limit: `insert into githost_limit (source_key, blocked_until)
    select ${id('ghl', 'k')}, now() + random() * interval '1 hour' from generate_series(0, ${Math.min(500, size.orgs - 1)}) k`,
  githost_mirror: `insert into githost_mirror (source_key, org_id, listed_at)
    select ${id('ghl', 'k')}, ${id('org', 'k')}, now() from generate_series(0, ${size.orgs - 1}) k`,
  githost_rule: `insert into githost_rule (org_id, role, pattern, allow)
    select ${id('org', 'k')}, role, 'owner-' || k || '/internal-*', false
    from generate_series(0, ${size.orgs - 1}) k, unnest(array['developer', 'viewer']) role`,
  githost_repository: `insert into githost_repository (org_id, source_key, rank, repo_id, owner, owner_type, name, full_name_key, private,
      default_branch, pushed_at, permissions)
    select ${id('org', 'k')}, ${id('ghl', 'k')}, 1, n, 'owner-' || k, 'Organization', 'project-' || n,
      'owner-' || k || '/project-' || n, true, 'main', now() - n * interval '1 second', '{"pull": true, "push": true, "admin": true}'
    from ${rowsOf(size.projects, size.orgs)}`,
  githost_hook: `insert into githost_hook (id, org_id, host, repo_id, hook_id, hook_key, secret)
    select ${id('ghh', 'n')}, ${id('org', 'k')}, 'github.com', n, n, 'hook-' || n, repeat('s', 100)
    from ${rowsOf(size.rest, size.orgs)}`,
  githost_head: `insert into githost_head (org_id, host, repo_id, ref, sha, seq, hook_at, poll_at)
    select org_id, 'github.com', repo_id, 'refs/heads/main', md5(repo_id::text), 1, now(), now() + random() * interval '1 hour'
    from githost_repository`,
  githost_delivery: `insert into githost_delivery (id, org_id, hook_key, guid, event, repo_id, repository, ref, after, project_id, decided_at,
      decision, deployment_id)
    select ${id('ghd', 'n')}, ${id('org', 'k')}, 'key-' || k, md5(n::text), 'push', n, 'owner/project-' || n, 'refs/heads/main',
      md5(n::text), ${id('prj', `n % ${size.projects}`)}, now(), 'deployed', ${id('dep', 'n')}
    from ${rowsOf(size.projects, size.orgs)}`,
  githost_report: `insert into githost_report (deployment_id, org_id, project_id, repo_id, sha, state, sent_state)
    select id, org_id, project_id, number, md5(id), 'success', 'success' from deployment where right(id, 1) in ('0', '1')`,
})

/** What was adopted from servers that were run by hand. */
export const adoptionRows = (): Record<string, string> => ({
  adopted_service: `insert into adopted_service (project_id, name, org_id, server_id, key, plan)
    select id, 'db', org_id, server_id, 'container/db', repeat('p', 600) from project
    where server_id is not null and right(id, 1) < '4'`,
  mount_grant: `insert into mount_grant (id, org_id, project_id, server_id, engine_id, kind, source, writable, created_by)
    select 'gnt_' || right(id, 26), org_id, id, server_id, 'engine', 'volume', 'data', true, 'person' from project
    where server_id is not null and right(id, 1) < '4'
    union all select ${id('gnt', 'n')}, ${id('org', '0')}, ${id('prj', '0')}, ${id('srv', `${HEAD}`)}, 'engine', 'volume',
      'data-' || n, true, 'person' from generate_series(0, ${HEAD - 1}) n`,
})
