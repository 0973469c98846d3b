import { githost } from './files.ts'
import type { Shown } from './statement.ts'

const [broker, guard] = [githost('broker'), githost('broker-guard')]
const whole = broker(
  'a linked organization connects through the cloud: two pages, one proof there, and it is usable here',
)
const linkAlone = guard('only the credential of a link is served: any other token, and a session, are refused')
const old = guard(
  'a link from before is told to be made anew, at both ends, and so is one whose approver is no admin any more',
)

/** The cloud's app at the git host, for the instances that are linked to an organization there. */
export const GITHOST_BROKER: Shown[] = [
  {
    id: 'broker.begin',
    route: 'POST /api/githost/broker',
    says: 'begins to connect for a linked instance, and answers with a page of the cloud that names it; other credentials: 403.',
    tests: [
      whole,
      linkAlone,
      old,
      guard('the browser is sent to the page of the instance alone: no other path, no other scheme, nothing in it'),
      guard('whoever linked the instance has to press the button too, and nobody else’s browser goes on with it'),
      guard('a state is good once, for the browser that began at the instance, and not for long'),
      broker('who says no at the git host is told so at the instance, and nothing is connected on either side'),
      broker('what fails at the cloud is told there, with a way back'),
    ],
  },
  {
    id: 'broker.installations',
    route: 'GET /api/githost/broker/installations',
    says: 'lists the installations that the organization holds, as far as they were proved.',
    tests: [
      linkAlone,
      broker('a partial proof at the cloud is as partial here'),
      broker(
        'the cloud is asked once a day what the organization there holds, and a revoked link is noticed by that as well',
      ),
    ],
  },
  {
    id: 'broker.token',
    route: 'POST /api/githost/broker/tokens',
    says: 'makes a token of one of them that reads and tells how deployments went, never for more than was proved.',
    tests: [
      linkAlone,
      broker('what the instance reads, it reads with tokens that the cloud makes: lists, files, clone tokens'),
      guard('a link reaches what its own organization has proved, and nothing of another’s'),
      guard(
        'of a partial proof, no token is made for a repository outside of it, and one that names none reads those alone',
      ),
      guard('a token may read and tell how deployments went, whatever else the app may do'),
      guard('an instance gets so many tokens in a minute, and is told when there are more'),
      guard('no line that is logged holds a token'),
      broker('no token of it is in a row of either side, the audit logs included'),
    ],
  },
  {
    id: 'broker.link',
    says: 'What came through the cloud goes with the link; a link that was revoked there is told as a problem.',
    tests: [
      broker('with the link goes what came through it, and so it does when the git host is disconnected'),
      broker('a link that was revoked at the cloud breaks the source here, and status says what to do'),
      guard('what was begun ends with the link: nothing is connected on either side'),
      broker('without a link the cloud is no way to connect, and who asks for it is told to link first'),
    ],
  },
]
