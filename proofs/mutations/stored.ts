import type { Mutation } from './mutation.ts'

const MODEL = 'docs/explanation/security-model.md'
const SCALE = 'docs/explanation/data-and-scale.md'
const FOLDERS = 'server/test/http/folder-sessions'

/** What lies in the database and on the disk: sealed, counted, kept and swept. */
export const stored: Mutation[] = [
  {
    name: 'sealed-for-no-place',
    guards: `${MODEL}: a sealed value that is moved to another row does not open`,
    file: 'server/src/core/projects/variables.ts',
    find: '`variable/${variableId}/value`',
    replace: '`variable/${variableId.slice(0, 4)}/value`',
    red: {
      test: 'server/test/http/projects/variables.test.ts',
      title: 'a sealed value moved to another row does not open',
    },
  },
  {
    name: 'resealed-over-a-newer-value',
    guards: `${MODEL}: a change of keys never undoes what somebody writes meanwhile`,
    file: 'server/src/core/sealing/store.ts',
    find: 'sql` and `)} and ${sealedIn(column)} = swapped.before`.execute(db)',
    replace: 'sql` and `)} and swapped.before <> swapped.after`.execute(db)',
    red: {
      test: 'server/test/sealing/rotate.test.ts',
      title: 'leaves a value as it is that somebody has changed since it was read',
    },
  },
  {
    name: 'key-goes-while-it-seals',
    guards: `${MODEL}: nothing is sealed with a key that is gone`,
    file: 'server/src/core/sealing/rotate.ts',
    find: 'const free = resealed.unreadable.length === 0 ? quiet : []',
    replace: 'const free = quiet',
    red: {
      test: 'server/test/sealing/rotate.test.ts',
      title: 'keeps a key while a value cannot be opened, and says which',
    },
  },
  {
    name: 'stored-answer-for-everybody',
    guards: `${MODEL}: an Idempotency-Key is the caller’s own`,
    file: 'server/src/core/idempotency/once.ts',
    find: '  credentialId: caller.credentialId,\n',
    replace: '  credentialId: caller.userId,\n',
    red: {
      test: 'server/test/http/access/tokens.test.ts',
      title: 'a narrow token cannot fetch a wide one through an Idempotency-Key',
    },
  },
  {
    name: 'key-taken-over-while-it-runs',
    guards: `${MODEL}: idempotency keys are kept alive by their process`,
    file: 'server/src/core/idempotency/store.ts',
    find: 'and i.claim = running.claim and i.status is null',
    replace: 'and i.claim = running.claim and i.status is not null',
    red: {
      test: 'server/test/http/face/idempotency.test.ts',
      title: 'a call that takes longer than a minute keeps its key as long as its process lives',
    },
  },
  {
    name: 'audit-can-be-deleted',
    guards: `${MODEL}: the audit table’s trigger refuses to change it`,
    file: 'server/src/db/migrations/0001_foundation.ts',
    find: 'before update or delete or truncate on audit',
    replace: 'before update or truncate on audit',
    red: {
      test: 'server/test/http/access/audit.test.ts',
      title: 'the log cannot be changed, not even by SQL',
    },
  },
  {
    name: 'reveal-without-a-trace',
    guards: `${MODEL}: revealing values is an audit entry`,
    file: 'server/src/core/projects/variables.ts',
    find: "    await record(tx, caller, 'variable.reveal', id, { names: rows.map((row) => row.name) })\n",
    replace: '',
    red: {
      test: 'server/test/http/projects/variables.test.ts',
      title: 'revealing needs project:admin and leaves an audit entry',
    },
  },
  {
    name: 'content-under-a-wrong-hash',
    guards: `${MODEL}: sizes are limited before bytes are read, hashes verified after`,
    file: 'server/src/drivers/blobs/disk-blobs.ts',
    find: 'if (options.sha256 !== undefined && sha256 !== options.sha256) {',
    replace: 'if (options.sha256 !== undefined && sha256.length !== options.sha256.length) {',
    red: { test: 'server/src/drivers/blobs/disk-blobs.test.ts', title: 'and keeps nothing' },
  },
  {
    name: 'link-of-a-link-leads-out',
    guards: `${MODEL}: links are followed as the kernel would follow them, through each other, and must stay inside`,
    file: 'server/src/core/uploads/links.ts',
    find: "const further = name === '..' ? undefined : links.get(path)",
    replace: 'const further = depth > 1 ? undefined : links.get(path)',
    red: {
      test: 'server/src/core/uploads/folder.test.ts',
      title: 'a target that leaves through a link behind another',
    },
  },
  {
    name: 'archive-of-padding',
    guards: `${MODEL}: an archive that unpacks to far more than its files is refused`,
    file: 'server/src/core/uploads/untar.ts',
    find: 'const FREE_OVERHEAD = 16 * 1024 * 1024\n',
    replace: 'const FREE_OVERHEAD = 16 * 1024 * 1024 * 1024\n',
    red: { test: `${FOLDERS}/from-tar.test.ts`, title: 'a gzip bomb of padding is stopped after a few megabytes' },
  },
  {
    name: 'content-by-its-hash',
    guards: `${MODEL}: to know the hash of a file is not to have it`,
    file: 'server/src/core/uploads/blobs-store.ts',
    find: '::bytea[]) and ${shownFor(scope)}`',
    replace: '::bytea[])`',
    red: {
      test: `${FOLDERS}/possession.test.ts`,
      title: 'knowing the hash and size of a content of another project is not having it',
    },
  },
  {
    name: 'sweep-without-a-second-look',
    guards: `${SCALE}: contents go when no session of the organization names them and they were not used for an hour`,
    file: 'server/src/core/uploads/sweep-store.ts',
    find: ' and touched_at < ${cutoff}\n',
    replace: '\n',
    red: {
      test: `${FOLDERS}/sweep.test.ts`,
      title: 'a session that is created after the search and before the deletion keeps its contents',
    },
  },
  {
    name: 'sweep-beside-another-database',
    guards: `${MODEL}: files of another instance are refused, asked for before anything is swept`,
    file: 'server/src/core/instance/guard.ts',
    find: 'const whole = mark?.instance === row.id && isSameDatabase(row.database, now.database)',
    replace: 'const whole = isSameDatabase(row.database, now.database)',
    red: {
      test: 'server/test/instance/sweeps.test.ts',
      title: 'nothing is deleted from a directory that is marked for another instance, or for none',
    },
  },
  {
    name: 'collect-right-after-a-loss',
    guards: `${MODEL}: a restored database is not taken for one’s own`,
    file: 'server/src/core/instance/guard.ts',
    find: 'const CAREFUL_MS = 24 * 3600_000\n',
    replace: 'const CAREFUL_MS = 24 * 3600\n',
    red: {
      test: 'server/test/instance/sweeps.test.ts',
      title: 'nothing is deleted for a day after the database lost something',
    },
  },
  {
    name: 'old-version-overwrites',
    guards: `${SCALE}: If-Match makes a PATCH refuse what changed meanwhile`,
    file: 'server/src/core/projects/store.ts',
    find: "ifMatch === null ? eb.lit(true) : eb('version', '=', ifMatch)",
    replace: "ifMatch === null ? eb.lit(true) : eb('version', '>=', ifMatch)",
    red: { test: 'server/test/http/projects/projects.test.ts', title: 'a change made on an old version is refused' },
  },
]
