import { type Kysely, sql } from 'kysely'

/**
 * What must be known to keep engines and rows in agreement: which names lead to a release now, which engine a server's
 * address turned out to be, and which ended deployments may have left something behind.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table deployment add column routes jsonb not null default '[]', add column routed boolean not null default false,
      add column settle_after timestamptz;
    create index deployment_routed on deployment (server_id) where routed;
    create unique index deployment_routed_once on deployment (project_id) where routed;
    create index deployment_unsettled on deployment (settle_after) where settle_after is not null;
    comment on column deployment.routes is 'names that lead to this release, and where it listens';
    comment on column deployment.routed is 'the edge is to have its routes: one release per project';
    comment on column deployment.settle_after is 'it ended, but its engine may not be as it says: to be seen to from then on';
    update deployment d set routed = true, routes = (
      select coalesce(jsonb_agg(jsonb_build_object(
        'host', h.host, 'pathPrefix', h.path_prefix, 'service', h.service, 'port', h.port)), '[]')
      from host_name h where h.project_id = d.project_id)
    where d.active;

    alter table run add column owner text;
    comment on column run.owner is 'machine and process that claimed it last, for whoever looks for it there';

    alter table server add column engine_id text;
    comment on column server.engine_id is 'of its Swarm: two servers with the same one are the same engine';
    comment on column host_name.port is '0: wherever the service listens';
  `.execute(db)
}
