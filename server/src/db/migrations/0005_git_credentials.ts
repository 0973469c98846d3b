import { type Kysely, sql } from 'kysely'

/** How a project's repository is read: sealed as a whole, and beside it what may be shown. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table project add column git_credential text;
    alter table project add column git_credential_shown jsonb;
    alter table project add constraint project_git_credential
      check ((git_credential is null) = (git_credential_shown is null));
  `.execute(db)
}
