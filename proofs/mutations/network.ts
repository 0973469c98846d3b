import type { Mutation } from './mutation.ts'

const MODEL = 'docs/explanation/security-model.md'
const HOST = 'server/test/http/githost'

/** Where we connect to, whom we believe, and what a git host may make us do. */
export const network: Mutation[] = [
  {
    name: 'address-in-disguise',
    guards: `${MODEL}: private, local, reserved and metadata addresses are refused in all the forms that IPv6 has for them`,
    file: 'server/src/core/networks/address-guard.ts',
    find: 'if (mapped(address) || translated(address)) return',
    replace: 'if (mapped(address)) return',
    red: {
      test: 'server/src/core/networks/may-connect.test.ts',
      title: 'nobody connects to loopback, link-local or metadata addresses, in any of their forms',
    },
  },
  {
    name: 'metadata-at-home',
    guards: `${MODEL}: a self-hosted instance connects to private addresses, never to loopback, link-local and metadata ones`,
    file: 'server/src/core/networks/may-connect.ts',
    find: "new Set<Kind>(['private', 'shared', 'reserved'])",
    replace: "new Set<Kind>(['private', 'shared', 'reserved', 'link-local'])",
    red: {
      test: 'server/src/core/networks/may-connect.test.ts',
      title: 'nobody connects to loopback, link-local or metadata addresses, in any of their forms',
    },
  },
  {
    name: 'git-looks-up-again',
    guards: `${MODEL}: git is given the judged address and looks nothing up by itself`,
    file: 'server/src/drivers/git/reach.ts',
    find: 'resolve: isIP(bare) === 0 ? `${bare}:${port}:${pinned}` : null',
    replace: 'resolve: isIP(bare) === 0 && pinned === bare ? `${bare}:${port}:${pinned}` : null',
    red: {
      test: 'server/src/drivers/git/reach.test.ts',
      title: 'git connects to the address that was judged, and looks no name up by itself',
    },
  },
  {
    name: 'one-good-address-is-enough',
    guards: `${MODEL}: every address that a name leads to is judged`,
    file: 'server/src/drivers/git/reach.ts',
    find: 'const allowed = found.filter(mayConnect)',
    replace: 'const allowed = found.some(mayConnect) ? found : []',
    red: {
      test: 'server/src/drivers/git/reach.test.ts',
      title: 'of several addresses of a name only those that are allowed are ever tried',
    },
  },
  {
    name: 'credential-moves-along',
    guards: `${MODEL}: a git credential goes to the host it was given for and to no other`,
    file: 'server/src/core/projects/git-credential.ts',
    find: 'gitOrigin(before) === gitOrigin(after) ? {} : NONE',
    replace: 'after !== null ? {} : NONE',
    red: {
      test: 'server/test/http/projects/git-credentials.test.ts',
      title: 'another host never gets it, however the address changes',
    },
  },
  {
    name: 'any-key-of-the-pinned-kind',
    guards: `${MODEL}: a server is trusted not to be someone else: its host key is pinned`,
    file: 'server/src/drivers/ssh/host-key.ts',
    find: 'watch.refused = watch.presented !== expected\n',
    replace: "watch.refused = watch.presented.split(' ')[0] !== expected.split(' ')[0]\n",
    red: {
      test: 'server/test/http/servers/servers.test.ts',
      title: 'another host key than the pinned one fails and is never taken over',
    },
  },
  {
    name: 'delivery-by-an-old-secret-for-ever',
    guards: `${MODEL}: of a git host, secrets of hooks are changed, and the old one ends`,
    file: 'server/src/core/githost/push/receive.ts',
    find: 'oldHookSecret !== null && (oldHookSecretUntil === null || oldHookSecretUntil > new Date())',
    replace: 'oldHookSecret !== null',
    red: {
      test: `${HOST}/rotate.test.ts`,
      title: 'the secret of the hook is drawn anew; deliveries with the old one are taken for a day',
    },
  },
  {
    name: 'hook-tells-of-any-repository',
    guards: `${MODEL}: a repository’s own hook tells of that repository alone`,
    file: 'server/src/core/githost/push/receive.ts',
    find: "if (receiver.kind === 'hook') return said.repoId === Number(receiver.repoId) ? [receiver.orgId] : []",
    replace: "if (receiver.kind === 'hook') return [receiver.orgId]",
    red: { test: `${HOST}/webhook.test.ts`, title: 'a repository’s own hook tells of that repository alone' },
  },
  {
    name: 'app-of-one-names-all',
    guards: `${MODEL}: a delivery of one organization’s app does nothing for another`,
    file: 'server/src/core/githost/push/receive-store.ts',
    find: ' or ${repoId}::bigint = any (l.repo_ids))`',
    replace: ' or cardinality(l.repo_ids) > 0)`',
    red: { test: `${HOST}/webhook.test.ts`, title: 'a link of some repositories takes deliveries of those alone' },
  },
  {
    name: 'state-good-twice',
    guards: `${MODEL}: state and cookie of a connect fit once`,
    file: 'server/src/core/githost/connect/attempt-store.ts',
    find: "    .where('status', '=', 'started')\n    .where('expiresAt', '>', sql<Date>`now()`)\n",
    replace: "    .where('status', '=', 'started')\n",
    red: { test: `${HOST}/connect.test.ts`, title: 'a used state is refused, and so is one that is too old' },
  },
  {
    name: 'state-in-any-browser',
    guards: `${MODEL}: state and cookie of a connect belong together`,
    file: 'server/src/core/githost/connect/arrive.ts',
    find: '  if (!isSameBrowser(attempt, visit.cookie)) {',
    replace: '  if (visit.cookie !== undefined && !isSameBrowser(attempt, visit.cookie)) {',
    red: {
      test: `${HOST}/connect.test.ts`,
      title: 'a state is good once, in the browser it was given to, and not for long',
    },
  },
  {
    name: 'reader-binds-the-installation',
    guards: `${MODEL}: an installation is bound as far as the person’s own token proves them admin`,
    file: 'server/src/core/githost/connect/prove.ts',
    find: 'theirs.filter(({ permissions }) => permissions.admin).map(({ id }) => id)',
    replace: 'theirs.map(({ id }) => id)',
    red: { test: `${HOST}/connect.test.ts`, title: 'a mere reader binds nothing: an owner must connect' },
  },
  {
    name: 'captured-delivery-again',
    guards: 'bin/prove push: no move is deployed twice',
    file: 'server/src/core/githost/push/advance.ts',
    find: 'rest.findIndex((one) => one.before === at && one.after !== at)',
    replace: 'rest.findIndex((one) => one.after !== at)',
    red: {
      test: 'server/src/core/githost/push/advance.test.ts',
      title: 'deliveries in the wrong order sort themselves out',
    },
  },
  {
    name: 'paused-project-deploys',
    guards: 'docs/how-to/deploy-on-push.md: after someone went back, a push waits for a person',
    file: 'server/src/core/githost/push/decide.ts',
    find: "  if (facts.paused !== null) return { decision: 'skipped', reason: facts.paused }\n",
    replace: '',
    red: { test: `${HOST}/push.test.ts`, title: 'after someone went back, a push waits for a person' },
  },
  {
    name: 'name-claimed-by-being-first',
    guards: `${MODEL}: a TXT record wins over a claim without one`,
    file: 'server/src/core/domains/names/claim.ts',
    find: 'const lost = standing.proved ? await takeOver(tx, host, standing.unprovedHolder) : null',
    replace: 'const lost: Lost = null',
    red: {
      test: 'server/test/http/domains/squatting.test.ts',
      title: 'a TXT record wins over a claim without one; the loser hears of it, and keeps nothing of the name',
    },
  },
  {
    name: 'name-below-anothers',
    guards: `${MODEL}: names below another’s need a record of their own`,
    file: 'server/src/core/domains/names/claim.ts',
    find: '  if (await isNearAnothers(tx, project.orgId, host)) throw unproved(project.orgId, host, field)\n',
    replace: '',
    red: {
      test: 'server/test/http/domains/squatting.test.ts',
      title: 'names below another organization’s name that leads here need a record of their own',
    },
  },
]
