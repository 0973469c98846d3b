import { type Kysely, sql } from 'kysely'

/** For what is looked for again and again, and was found by reading a table that grows; and for what goes with a row that is deleted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index rate_limit_age on rate_limit (last_request);
    create index invitation_expiry on invitation (expires_at);
    create index cloud_link_free on cloud_link ((coalesce(relay_until, '-infinity'::timestamptz)));
    create index cloud_link_by_claim on cloud_link (relay_claim) where relay_claim is not null;
    create index host_name_platform on host_name (org_id) where kind = 'platform';
    create index githost_account_by_login on githost_account (client_id, lower(login)) where client_id is not null;
    create index githost_app_old_secret on githost_app (old_hook_secret_until) where old_hook_secret_until is not null;
    create index githost_limit_age on githost_limit (blocked_until);
    create index githost_attempt_by_app on githost_attempt (app) where app is not null;
    create index mount_grant_by_server on mount_grant (server_id);
    create index run_limit_by_run on run_limit (run_id);
  `.execute(db)
}
