import { type Kysely, sql } from 'kysely'

/** A release that went live is watched for a while, and what it took the place of is brought back if it does not hold. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table deployment add column bake_until timestamptz, add column took_over text;
    create index deployment_baking on deployment (bake_until) where bake_until is not null;
    comment on column deployment.bake_until is 'until then it is watched, and the release before it comes back if it does not hold';
    comment on column deployment.took_over is 'the release that was active before it';
  `.execute(db)
}
