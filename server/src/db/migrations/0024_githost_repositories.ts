import { type Kysely, sql } from 'kysely'

/** What the sources of an organization list, who sees what of it, and which project is linked to which repository. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table githost_repository (
      org_id id not null references organization on delete cascade, source_key text collate "C" not null,
      rank smallint not null, repo_id bigint not null, owner text not null, owner_type text not null,
      owner_avatar_url text, name text not null, full_name_key text collate "C" not null, private boolean not null,
      default_branch text not null, description text, language text, pushed_at timestamptz not null,
      permissions jsonb not null, seen_at timestamptz not null default now(),
      primary key (org_id, source_key, repo_id));
    create index githost_repository_newest on githost_repository (org_id, pushed_at desc, repo_id desc);
    create index githost_repository_by_name on githost_repository (org_id, full_name_key);
    create index githost_repository_by_id on githost_repository (org_id, repo_id);
    comment on column githost_repository.source_key is 'the link or account that sees it';
    comment on column githost_repository.rank is 'of several sources that see the same one, the lowest shows it';

    create table githost_mirror (
      source_key text collate "C" primary key, org_id id not null references organization on delete cascade,
      listed_at timestamptz, begun_at timestamptz);
    create index githost_mirror_by_org on githost_mirror (org_id);

    create table githost_rule (
      org_id id not null references organization on delete cascade, role text not null,
      pattern text collate "C" not null, allow boolean not null,
      matches text collate "C" generated always as (
        replace(replace(replace(replace(lower(pattern), '\\', '\\\\'), '_', '\\_'), '%', '\\%'), '*', '%')
        || case when pattern like '%/%' then '' else '/%' end) stored,
      primary key (org_id, role, pattern));
    comment on table githost_rule is 'narrows what a role sees: an account, or owner/name with *; the longest pattern wins';

    create table githost_hook (
      id id primary key, org_id id not null references organization on delete cascade, host text collate "C" not null,
      repo_id bigint not null, hook_id bigint not null, hook_key text collate "C" not null unique, secret text not null,
      created_at timestamptz not null default now(), unique (org_id, host, repo_id));

    alter table project add column githost_repo_id bigint, add column head_seq bigint not null default 0,
      add column githost_allowed boolean not null default true;
    create index project_by_githost_repo on project (org_id, githost_repo_id) where githost_repo_id is not null;
    comment on column project.githost_repo_id is 'the host''s own number of its repository: names change hands';
    comment on column project.githost_allowed is 'whoever named the repository may read what the connection reads';
  `.execute(db)
}
