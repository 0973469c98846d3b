import { relayed, relayStream as stream } from './files.ts'
import type { Shown } from './statement.ts'

/** Deliveries of the git host that a cloud passes on to an instance that nobody can reach. */
export const RELAY: Shown[] = [
  {
    id: 'relay.stream',
    route: 'GET /api/relay/stream',
    says: 'tells a linked instance of deliveries that concern its organization, numbered without gaps, from the number it has seen last; 403 for any other credential.',
    tests: [
      stream('numbers of a link have no gap and no double, however many deliveries come at once'),
      stream('a reader that comes back with its last number misses nothing and sees nothing twice'),
      stream('a delivery that the host sends again is relayed once'),
      stream('only the credential of a link hears anything, and only what concerns its own organization'),
      stream('of one link a newer stream takes the place of an older one, which is told so and ends'),
      stream('a link that is revoked ends its stream, and its credential opens no other'),
    ],
  },
  {
    id: 'relay.gap',
    says: 'What is not kept any more is told as a gap, and the instance looks at its branches itself.',
    tests: [
      stream('what is not kept any more is told as a gap, and so is a number that was never given'),
      stream('more than ten thousand are not kept for one link'),
      relayed('after %s every branch that is followed is looked at, and the rest goes on'),
    ],
  },
  {
    id: 'relay.take',
    says: 'A delivery is taken once, with its number, by the one process that follows the link.',
    tests: [
      relayed('what the cloud relays is taken as if the host had told it here: one delivery, one move, one decision'),
      relayed('a break is a reconnect with the last number: nothing is missed and nothing taken twice'),
      relayed('the same delivery under two numbers, or one number twice, is taken once'),
      relayed('who has lost its lease takes nothing, and its number does not count'),
      relayed('of several processes one follows a link, and another takes over when it leaves'),
    ],
  },
]
