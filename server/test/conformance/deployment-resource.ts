import {
  compose,
  create,
  decide,
  entries,
  freeNames,
  git,
  journey,
  matrix,
  scopes,
  states,
  truth,
  verbs,
} from './files.ts'
import type { Shown } from './statement.ts'

const ACCESS = 'POST /api/deployments/build/access'
const REFUSES = create('POST /api/deployments/build/access', 'refuses a wrong %s and names it: %j')
const RUN = entries(
  'services run as build/access describes them: image, build, Dockerfile, ports, order, environment and volumes',
)
const SHOWN = states('a deployment is shown with its state, addresses, timing and, when it failed, why')
const STACK = compose(
  'a compose file becomes one release: unchanged services stay, a failing one asks, and both answers hold',
)
const JOURNEY = journey(
  'a folder becomes a running, routed service; a change goes live; a rollback brings the old one back without a build',
)

export const RESOURCE: Shown[] = [
  { id: 'deployment.id', says: 'Has an `id`, which paths name.', tests: [SHOWN] },
  { id: 'deployment.status', says: 'Has a lifecycle `status`.', tests: [SHOWN, JOURNEY] },
  { id: 'deployment.urls', says: 'Has the addresses at which it answers.', tests: [SHOWN, JOURNEY] },
  { id: 'deployment.timing', says: 'Has its timing.', tests: [SHOWN] },
  {
    id: 'deployment.error',
    says: 'Has an error summary when it failed, and none otherwise.',
    tests: [
      SHOWN,
      truth('an application that %s fails in the right words, and the previous release keeps serving'),
      truth('git: %s is called so'),
    ],
  },
  {
    id: 'deployment.decision',
    says: 'Has `decision: pending` while a partly failed one waits to be decided.',
    tests: [SHOWN, decide('rejected, every service is again what it was before, and so is the active release')],
  },
  {
    id: 'deployment.pinned',
    says: 'Has `pinned`; a pinned release outlives the rollback window.',
    tests: [SHOWN, states('pin', 'keeps the image of a release that the rollback window has left behind')],
  },
  {
    id: 'deployment.belongs',
    says: 'Belongs to a project, which it names, and to an organization: for others it does not exist, nor once it is deleted.',
    tests: [
      SHOWN,
      matrix('%s', 'what another organization has, or is gone, looks unknown in %s, and one’s own does not'),
    ],
  },
]

export const ENDPOINT_ENTRY: Shown[] = [
  { id: 'endpoint.port', route: ACCESS, says: 'An endpoint may name the port it leads to.', tests: [RUN, REFUSES] },
  {
    id: 'endpoint.target-path',
    route: ACCESS,
    says: 'It may name a path of the host; other paths lead nowhere.',
    tests: [RUN, REFUSES],
  },
  {
    id: 'endpoint.domain',
    route: ACCESS,
    says: 'It may choose the label of its free name; what is no label is refused.',
    tests: [freeNames('domain is the label of a free name'), freeNames('a label that is none is refused')],
  },
  {
    id: 'endpoint.custom-domain',
    route: ACCESS,
    says: 'It may name a domain of one’s own, unless another project has it (409).',
    tests: [
      RUN,
      create(
        'POST /api/deployments/build/access',
        'claims the custom domain it names, with its path, and none that another project has',
      ),
    ],
  },
  {
    id: 'endpoint.domain-type',
    route: ACCESS,
    says: '`domainType` is `free` or `custom`; `custom` needs its `customDomain`.',
    tests: [RUN, REFUSES],
  },
  {
    id: 'endpoint.all-optional',
    route: ACCESS,
    says: 'All of its fields may be left out: the name is then the free one of the project.',
    tests: [JOURNEY, freeNames('several free endpoints have several names, each with its own port')],
  },
  {
    id: 'endpoint.several',
    route: ACCESS,
    says: 'There may be several; each free one has a name of its own.',
    tests: [
      freeNames('several free endpoints have several names, each with its own port'),
      freeNames('two endpoints with the same name are refused, and so is what another project has'),
    ],
  },
]

export const SERVICE_ENTRY: Shown[] = [
  { id: 'entry.name', route: ACCESS, says: 'A service needs a name.', tests: [REFUSES, RUN] },
  { id: 'entry.image', route: ACCESS, says: 'It may run an image.', tests: [RUN, REFUSES] },
  { id: 'entry.build', route: ACCESS, says: 'It may be built from a folder of the source.', tests: [RUN, REFUSES] },
  { id: 'entry.dockerfile', route: ACCESS, says: 'It may name its Dockerfile, in that folder.', tests: [RUN, REFUSES] },
  { id: 'entry.ports', route: ACCESS, says: 'Its ports may be open on the server.', tests: [RUN, REFUSES] },
  {
    id: 'entry.depends-on',
    route: ACCESS,
    says: 'It starts after the services it depends on.',
    tests: [RUN, REFUSES],
  },
  { id: 'entry.environment', route: ACCESS, says: 'It gets its environment.', tests: [RUN, REFUSES] },
  { id: 'entry.volumes', route: ACCESS, says: 'Its volumes are mounted where it says.', tests: [RUN, REFUSES] },
  {
    id: 'entry.not-the-project',
    route: ACCESS,
    says: 'Sent by a credential that may only deploy, services hold for that deployment and change nothing of the project.',
    tests: [
      scopes(
        'services sent by a credential without project:write hold for that deployment and its rollbacks, and change nothing of the project',
      ),
    ],
  },
]

const KEPT = decide('kept, what came up stays and the rest is of the version before; what was new and failed is gone')
const REJECTED = decide('rejected, every service is again what it was before, and so is the active release')

export const STATES: Shown[] = [
  {
    id: 'state.queued',
    says: 'A deployment is queued from when it is made until its build begins; of those that wait only the newest is run.',
    tests: [verbs('of deployments that wait, only the newest is run')],
  },
  {
    id: 'state.partial',
    says: 'When some services come up and others do not, it is held as `partial_failure` with `decision: pending` until somebody decides.',
    tests: [STACK, REJECTED],
  },
  {
    id: 'state.partial-holds',
    says: 'Until then no other deployment of the project begins.',
    tests: [STACK],
  },
  {
    id: 'state.keep',
    route: 'POST /api/deployments/:id/keep',
    says: 'accepts what came up; the others stay on the version before.',
    tests: [KEPT, STACK],
  },
  {
    id: 'state.reject',
    route: 'POST /api/deployments/:id/reject',
    says: 'brings every service that changed back to what it was.',
    tests: [REJECTED, STACK],
  },
  {
    id: 'state.not-awaiting',
    says: 'Keep and reject of one that awaits no decision: 400.',
    tests: [
      states('what cannot be done in this state → 400', 'keep and reject of one that is %s, with the decision %s'),
    ],
  },
  {
    id: 'state.cancel-finished',
    route: 'POST /api/deployments/:id/cancel',
    says: 'of one that has ended: 400.',
    tests: [states('what cannot be done in this state → 400', 'cancel of one that is %s')],
  },
  {
    id: 'state.pin',
    route: 'POST /api/deployments/:id/pin',
    says: 'sets `pinned`, true where nothing is said; false takes it away.',
    tests: [states('pin', 'sets pinned unless it says false, with a body or without')],
  },
  {
    id: 'state.old-release-serves',
    says: 'A deployment that fails leaves the release before it serving.',
    tests: [
      truth('an application that %s fails in the right words, and the previous release keeps serving'),
      truth('a first deployment that fails leaves nothing behind'),
    ],
  },
  {
    id: 'state.rollback-new',
    route: 'POST /api/deployments/:id/rollback',
    says: 'makes a new deployment of the artifact, without a build; where the image is gone, of its commit.',
    tests: [
      JOURNEY,
      git('a linked project is built from its branch or the one named; again from the latest commit, or from the same'),
    ],
  },
]
