import { type Kysely, sql } from 'kysely'

/**
 * A random id for each claim. The fence counts claims, and a replica that is promoted without the last of them counts
 * them again: then two owners have the same fence, and only this tells them apart. A build that does not know it
 * leaves the last one standing, and is still told apart by the fence.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table run add column claim uuid;
    alter table run_limit add column claim uuid;
    alter table schedule add column claim uuid;
    comment on column run.claim is 'drawn with every claim: fence and claim together are the fencing token';
    comment on column run_limit.claim is 'the claim of the run that has the ticket';
    comment on column schedule.claim is 'drawn with every lease';
  `.execute(db)
}
