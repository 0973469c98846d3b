import type { Mutation } from './mutation.ts'

const MODEL = 'docs/explanation/security-model.md'
const ACCESS = 'server/test/http/access'

/** Who comes in, as whom, and how far. */
export const access: Mutation[] = [
  {
    name: 'stub-of-any-organization',
    guards: `${MODEL}: what is in the cloud is found with its organization`,
    file: 'server/src/core/cloud/deployments-store.ts',
    find: 'where d.id = $2 and d.org_id = $1 and (',
    replace: 'where d.id = $2 and $1::text is not null and (',
    red: {
      test: 'server/test/http/cloud/guarded.test.ts',
      title: 'a deployment of another organization is as unknown as one that does not exist',
    },
  },
  {
    name: 'narrowed-token-in-the-cloud',
    guards: `${MODEL}: a token of one project reaches no other`,
    file: 'server/src/core/cloud/deployments-store.ts',
    find: '($3::text is null or d.project_id = $3)`',
    replace: '($3::text is null or d.project_id is not null)`',
    red: {
      test: 'server/test/http/cloud/guarded.test.ts',
      title: 'a token of one project reaches the deployments of that project and of no other',
    },
  },
  {
    name: 'route-of-the-other-mode',
    guards: 'bin/prove modes',
    file: 'contract/src/endpoint.ts',
    find: 'only === undefined || only === mode',
    replace: 'only === undefined || mode.length > 0',
    red: {
      test: 'server/test/http/face/documents.test.ts',
      title: 'a path of the other mode answers 404 and says whose it is',
    },
  },
  {
    name: 'token-expiry-a-day-late',
    guards: `${MODEL}: an access token ends at its expiry`,
    file: 'server/src/core/access/store.ts',
    find: 'coalesce(t.expires_at <= now(), false) as expired',
    replace: "coalesce(t.expires_at <= now() - interval '1 day', false) as expired",
    red: { test: `${ACCESS}/tokens.test.ts`, title: 'an expired token is refused and says so' },
  },
  {
    name: 'token-expiry-by-the-clock-of-the-process',
    guards: `${MODEL}: an access token ends at its expiry`,
    file: 'server/src/core/access/authenticate.ts',
    find: 'if (row.expired && row.expires_at) {',
    replace: 'if (row.expires_at && row.expires_at.getTime() <= Date.now()) {',
    red: { test: `${ACCESS}/tokens.test.ts`, title: 'is judged by the clock of the database' },
  },
  {
    name: 'scope-instead-of-role',
    guards: `${MODEL}: a token is role ∩ scopes, at the time of the request`,
    file: 'contract/src/permissions.ts',
    find: 'return ROLE_PERMISSIONS[role].has(permission) && (scopes === null || scopes.has(permission))',
    replace: 'return scopes === null ? ROLE_PERMISSIONS[role].has(permission) : scopes.has(permission)',
    red: { test: `${ACCESS}/tokens.test.ts`, title: 'a scope wider than the role does not widen it' },
  },
  {
    name: 'token-makes-wider-token',
    guards: `${MODEL}: a token is a part of its owner`,
    file: 'server/src/core/tokens/create.ts',
    find: 'wanted.find((scope) => !may(caller, scope))',
    replace: 'wanted.find((scope) => !ROLE_PERMISSIONS[caller.role].has(scope))',
    red: {
      test: `${ACCESS}/tokens.test.ts`,
      title: 'a token cannot make a token that holds more, reaches further or lives longer than itself',
    },
  },
  {
    name: 'project-token-at-large',
    guards: `${MODEL}: stores take the organization, for a restricted token the project too`,
    file: 'server/src/http/doorkeeper.ts',
    find: '      if (!isOfProject(permission)) requireUnrestricted(request.caller)\n',
    replace: '',
    red: {
      test: `${ACCESS}/tokens.test.ts`,
      title: 'a token restricted to a project reaches that project and nothing else',
    },
  },
  {
    name: 'reset-keeps-sessions',
    guards: `${MODEL}: a thief does not stay after a reset`,
    file: 'server/src/core/access/end-access.ts',
    find: 'await people.endSessions(tx, person.userId, null)',
    replace: '0',
    red: { test: `${ACCESS}/resets.test.ts`, title: 'link ends every session and every token of the person' },
  },
  {
    name: 'session-falls-into-another-organization',
    guards: `${MODEL}: when its person leaves an organization, a session ends there and does not go on in another`,
    file: 'server/src/core/access/store.ts',
    find: 'where m.user_id = $1 and ($2::text is null or m.org_id = $2) order by m.org_id limit 1',
    replace: 'where m.user_id = $1 order by m.org_id = $2 desc nulls last, m.org_id limit 1',
    red: {
      test: `${ACCESS}/denials.test.ts`,
      title: 'a session whose organization is gone does not go on in another one',
    },
  },
  {
    name: 'cookie-without-origin',
    guards: `${MODEL}: a write with a session is taken only from the instance’s own pages`,
    file: 'server/src/http/csrf.ts',
    find: '  if (!said) throw refusal(publicUrl)\n',
    replace: '',
    red: { test: `${ACCESS}/sessions.test.ts`, title: 'a session cookie cannot be used for a write by' },
  },
  {
    name: 'origin-by-its-beginning',
    guards: `${MODEL}: a write with a session is taken only from the instance’s own pages`,
    file: 'server/src/http/csrf.ts',
    find: 'origin !== new URL(publicUrl).origin',
    replace: '!origin.startsWith(new URL(publicUrl).origin)',
    red: { test: `${ACCESS}/sessions.test.ts`, title: 'a session cookie cannot be used for a write by' },
  },
  {
    name: 'guesses-fill-the-log',
    guards: `${MODEL}: whoever tries a thousand times leaves one entry a minute`,
    file: 'server/src/core/audit/denials.ts',
    find: 'const MOST_OF_ONE = 20\n',
    replace: 'const MOST_OF_ONE = 20_000\n',
    red: { test: `${ACCESS}/denials.test.ts`, title: 'guesses from many addresses do not fill the log' },
  },
  {
    name: 'server-by-its-id-alone',
    guards: `${MODEL}: what is not found in one’s own organization answers exactly as what never existed`,
    file: 'server/src/core/servers/store.ts',
    find: "=>\n  db.selectFrom('server').selectAll().where('orgId', '=', orgId).where('id', '=', id).executeTakeFirst()",
    replace: "=>\n  db.selectFrom('server').selectAll().where('id', '=', id).executeTakeFirst()",
    red: { test: `${ACCESS}/matrix.test.ts`, title: 'what another organization has, or is gone, looks unknown in' },
  },
  {
    name: 'permission-after-the-body',
    guards: `${MODEL}: the permission is part of the endpoint, checked before the body is read`,
    file: 'server/src/http/doorkeeper.ts',
    find: '      requirePermission(request.caller, permission)\n',
    replace: '',
    red: { test: `${ACCESS}/matrix.test.ts`, title: 'lacking the permission → 403 that names it' },
  },
  {
    name: 'stream-outlives-its-token',
    guards: `${MODEL}: whoever watches a stream and would not be let in now is let go`,
    file: 'server/src/core/deployments/events/viewers.ts',
    find: 'isHeld(known.get(keyOf(one.caller)), one) && there.has(idOf(one.target))',
    replace: 'there.has(idOf(one.target))',
    red: {
      test: 'server/test/deployments/stream-access.test.ts',
      title: 'streams of every format end with the credential that opened them, and nobody else is let go',
    },
  },
]
