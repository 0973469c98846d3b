import type { Mutation } from './mutation.ts'

const MODEL = 'docs/explanation/security-model.md'
const PLAN = 'server/src/core/domains/certificates/plan.test.ts'
const TESTS = 'server/test/certificates'

/** Names and their certificates. */
export const certificates: Mutation[] = [
  {
    name: 'retry-without-backoff',
    guards: 'docs/decisions/0022-certificates.md: a CA counts failed proofs; each wait is longer than the last',
    file: 'server/src/core/domains/certificates/plan.ts',
    find: 'Math.min(first * 2 ** Math.min(failures - 1, 20), longest) * (0.9 + random / 5)',
    replace: 'first * (0.9 + random / 5)',
    red: { test: PLAN, title: 'each wait is longer than the last, up to a limit' },
  },
  {
    name: 'renewed-all-at-once',
    guards: 'bin/prove tls-scale: certificates are renewed evenly',
    file: 'server/src/core/domains/certificates/plan.ts',
    find: 'return between(latest - life / 10, latest, fraction)',
    replace: 'return between(latest, latest, fraction)',
    red: { test: PLAN, title: 'of ten thousand that were issued together is spread over nine days' },
  },
  {
    name: 'loud-organization-first',
    guards: `${MODEL}: names of one organization at the CA: what ends soon first, then in turn`,
    file: 'server/src/core/domains/certificates/plan.ts',
    find: '.sort((a, b) => a.rank - b.rank || a.place - b.place || endOf(a.one) - endOf(b.one))',
    replace: '.sort((a, b) => a.rank - b.rank || endOf(a.one) - endOf(b.one))',
    red: {
      test: PLAN,
      title: 'new names come in turn, and the orders of a window are never all those of who has hundreds',
    },
  },
  {
    name: 'order-counted-when-it-is-done',
    guards: 'bin/prove tls-scale: within the CA’s limits',
    file: 'server/src/core/domains/certificates/order.ts',
    find: '      await run.write((tx) => store.noteOrder(tx, { orgId: row.orgId, host: row.host, renewal: row.serial !== null }))\n',
    replace: '',
    red: {
      test: `${TESTS}/order.test.ts`,
      title: 'is counted before it is placed, as a renewal or not, and says what it replaces',
    },
  },
  {
    name: 'ca-asked-before-dns',
    guards: 'bin/prove tls: a name that leads elsewhere waits without an order',
    file: 'server/src/core/domains/certificates/order.ts',
    find: "  if (!dns.ok) throw new Refusal('dns_wrong', dns.message)\n",
    replace: '',
    red: {
      test: `${TESTS}/renew.test.ts`,
      title: 'a name that leads elsewhere by now → dns_wrong, and the CA is not asked',
    },
  },
  {
    name: 'ca-asked-before-it-said',
    guards: 'docs/decisions/0022-certificates.md: a CA that asks to wait is not asked before',
    file: 'server/src/core/domains/certificates/order.ts',
    find: '    if (retryAfter) await run.write((tx) => store.update(tx, row.orgId, row.id, { limitedUntil: retryAfter }))\n',
    replace: '',
    red: {
      test: `${TESTS}/look.test.ts`,
      title: 'a CA that asks to wait is not asked before, even when the name becomes right',
    },
  },
]
