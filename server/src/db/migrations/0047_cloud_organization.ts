import { type Kysely, sql } from 'kysely'

/**
 * Which organization of a cloud has a project, a promotion or a deployment. Links come and go, and the next one may be with another
 * organization or another cloud, which knows nothing of it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table cloud_organization (
      org_id id not null references organization on delete cascade, cloud_org_id id not null,
      name text not null, url text not null, primary key (org_id, cloud_org_id));
    comment on table cloud_organization is 'all that an organization here was ever linked to: told by name where it is linked to another one';
    insert into cloud_organization select org_id, cloud_org_id, cloud_org_name, url from cloud_link;

    create index promotion_running_of on promotion (org_id) where state = 'running';
    alter table project add column cloud_org_id id;
    alter table promotion add column cloud_org_id id;
    alter table cloud_deployment add column cloud_org_id id;
    comment on column project.cloud_org_id is 'the organization of the cloud that has cloud_project_id; null: of before, whichever is linked';
    update project p set cloud_org_id = l.cloud_org_id from cloud_link l
      where l.org_id = p.org_id and p.cloud_project_id is not null;
    update promotion p set cloud_org_id = l.cloud_org_id from cloud_link l where l.org_id = p.org_id;
    update cloud_deployment d set cloud_org_id = l.cloud_org_id from cloud_link l where l.org_id = d.org_id;
  `.execute(db)
}
