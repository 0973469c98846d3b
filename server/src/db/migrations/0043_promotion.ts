import { type Kysely, sql } from 'kysely'

/** Projects on their way to a hosted cloud. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table promotion (
      id id primary key, org_id id not null references organization on delete cascade,
      project_id id not null references project on delete cascade,
      state text not null default 'running' check (state in ('running', 'promoted', 'failed', 'cancelled')),
      asked jsonb not null, step text, there boolean not null default false, sent jsonb, dns jsonb not null default '[]', error jsonb,
      created_by jsonb not null, created_at timestamptz not null default now(), finished_at timestamptz);
    create unique index promotion_running on promotion (project_id) where state = 'running';
    create index promotion_newest on promotion (project_id, id desc);
    comment on column promotion.id is 'of the deployment that it makes there, of its stub and of its run';
    comment on column promotion.asked is 'what is deployed there; never a secret';
    comment on column promotion.there is 'the cloud knows the deployment';
    comment on column promotion.sent is 'which services and variables may have come there from here, by name; null: none were sent yet';
    comment on column promotion.dns is 'records that have to be changed for the names of the project to lead there';
  `.execute(db)
}
