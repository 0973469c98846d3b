import { inFile, type Shown } from './statement.ts'

const promoted = inFile('server/test/promote/promote.test.ts')
const interrupted = inFile('server/test/promote/interrupted.test.ts')
const names = inFile('server/test/promote/names.test.ts')
const ids = inFile('server/test/promote/ids.test.ts')

/** The way of a project to the hosted cloud. */
export const PROMOTION: Shown[] = [
  {
    id: 'cloud.promote',
    says: '`deployTarget: cloud` on a self-hosted instance promotes the project to the cloud.',
    tests: [
      promoted(
        'a project is promoted with its source, settings and names; the cloud is its target when it is ready there',
      ),
      promoted('nothing that was written down on the way holds a secret'),
      promoted('what the cloud refuses ends the promotion in its words, and nothing stays there'),
      promoted('a project that was promoted is deployed there from then on, or here where that is said'),
    ],
  },
  {
    id: 'cloud.promote-session',
    says: 'Without `deployTarget` the mode of the upload session decides.',
    tests: [
      promoted(
        'a folder that was uploaded for the cloud is promoted without saying so; adopted services, servers and previews are not',
      ),
    ],
  },
  {
    id: 'cloud.promote-resume',
    says: 'A promotion that is interrupted goes on, and makes nothing twice; a cancel takes everything back.',
    tests: [
      interrupted('a promotion whose every call was done and not heard of makes nothing twice'),
      interrupted('a worker that is replaced at each step is followed by one that goes on'),
      interrupted('a cancel takes everything back', 'at %s'),
    ],
  },
  {
    id: 'cloud.promote-names',
    says: 'A name that is gone here does not stay at the hosted cloud; one that the cloud refuses fails the promotion, which says what to do.',
    tests: [
      names(
        'a name or path that is gone here is gone there after the next promotion; what was added there alone stays',
      ),
      names('a name that is removed here while it is being sent does not stay there'),
      names(
        'a name that the cloud refuses ends the promotion with what to do; everything is as it was, here and there',
      ),
    ],
  },
  {
    id: 'cloud.promote-early',
    says: 'Before the hosted cloud knows the deployment it is answered here; what is not known yet: 409 `promotion_running`.',
    tests: [
      promoted(
        'before the cloud knows the deployment it is answered here, and what is not known is told to be asked later',
      ),
    ],
  },
  {
    id: 'cloud.promotion-show',
    route: 'GET /api/projects/:id/promotion',
    says: 'tells how far the newest promotion is, why it failed, and which DNS records have to be changed.',
    tests: [
      promoted(
        'a project is promoted with its source, settings and names; the cloud is its target when it is ready there',
      ),
    ],
  },
  {
    id: 'cloud.promotion-give-back',
    route: 'DELETE /api/projects/:id/promotion',
    says: 'deletes what the project has at the hosted cloud, unless something of it runs.',
    tests: [
      promoted(
        'a deployment that fails there can be looked at, the project stays as it was, and can be given back or promoted anew',
      ),
      promoted('a project that was promoted is deployed there from then on, or here where that is said'),
    ],
  },
  {
    id: 'cloud.promote-ids',
    says: 'At a cloud, only an instance that is linked to it brings ids of projects and deployments along.',
    tests: [
      ids('an instance that is linked brings its ids along, and asking again makes nothing twice'),
      ids('nobody else chooses an id: no token, no session, and nobody at an instance of one’s own'),
      ids('an id that exists elsewhere is not to be had, and whose it is is not told'),
    ],
  },
]
