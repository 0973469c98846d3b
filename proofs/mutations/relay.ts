import type { Mutation } from './mutation.ts'

const RELAY = 'server/test/http/relay'

/** What a cloud passes on to instances that are linked to it. */
export const relay: Mutation[] = [
  {
    name: 'number-without-its-delivery',
    guards: 'bin/prove relay: what was taken is kept',
    file: 'server/src/core/cloud/relay/take.ts',
    find: 'if (!(await store.advance(tx, link, last, some.to)))',
    replace: 'if (!(await store.advance(parts.db as never, link, last, some.to)))',
    red: {
      test: `${RELAY}/follow.test.ts`,
      title: 'a delivery that could not be stored does not count as taken, and is taken when it comes again',
    },
  },
  {
    name: 'taken-without-the-lease',
    guards: 'bin/prove relay: what was taken is taken once',
    file: 'server/src/core/cloud/relay/relay-store.ts',
    find: "  db.updateTable('cloudLink').where('orgId', '=', orgId).where('linkId', '=', linkId).where('relayClaim', '=', claim)",
    replace:
      "  db.updateTable('cloudLink').where('orgId', '=', orgId).where('linkId', '=', linkId).where('relayClaim', 'is not', claim && null)",
    red: {
      test: `${RELAY}/follow.test.ts`,
      title: 'who has lost its lease takes nothing, and its number does not count',
    },
  },
  {
    name: 'relayed-again-with-a-redelivery',
    guards: 'bin/prove relay: a delivery has one number',
    file: 'server/src/core/githost/push/receive.ts',
    find: 'await relay(tx, stored.added,',
    replace: 'await relay(tx, orgIds,',
    red: {
      test: `${RELAY}/stream.test.ts`,
      title: 'a delivery that the host sends again is relayed once',
    },
  },
  {
    name: 'gap-that-nobody-hears-of',
    guards: 'docs/decisions/0061: who missed more is told so',
    file: 'server/src/core/githost/relay/relays.ts',
    find: "return next === seen.number + 1 ? deliveries : [{ kind: 'gap', next, mark }, ...deliveries]",
    replace: "return next > 0 ? deliveries : [{ kind: 'gap', next, mark }, ...deliveries]",
    red: {
      test: `${RELAY}/stream.test.ts`,
      title: 'what is not kept any more is told as a gap, and so is a number that was never given',
    },
  },
  {
    name: 'numbers-of-another-history',
    guards: 'docs/decisions/0061: what a restored cloud tells anew is not taken for what was heard before',
    file: 'server/src/core/githost/relay/relays.ts',
    find: '=> a === null || b === null || a === b',
    replace: '=> a === null || b === null || a !== undefined',
    red: {
      test: `${RELAY}/stream.test.ts`,
      title:
        'a cloud that was restored gives numbers again: who has heard others is told of a gap, and what was told since is kept',
    },
  },
]
