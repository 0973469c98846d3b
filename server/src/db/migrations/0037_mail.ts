import { type Kysely, sql } from 'kysely'

/** Mail that is still to be sent, and for some days what became of it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table mail (
      id id primary key, to_address text not null, subject text not null, text text,
      created_at timestamptz not null default now(), attempts integer not null default 0,
      due_at timestamptz not null default now(), sent_at timestamptz, failed_at timestamptz, last_error text);
    comment on table mail is 'of no organization: whoever signs up has none yet';
    comment on column mail.text is 'sealed; null as soon as it is not needed any more';
    comment on column mail.attempts is 'how often it was claimed: the fencing token of whoever sends it';
    comment on column mail.due_at is 'when it is tried next; while it is being sent, the end of the lease';
    create index mail_due on mail (due_at) where sent_at is null and failed_at is null;
    create index mail_age on mail (created_at);
  `.execute(db)
}
