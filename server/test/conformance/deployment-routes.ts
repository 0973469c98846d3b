import { create, domains, git, journey, prepare, preview, previewRefused, renew, sslStatus, targets } from './files.ts'
import type { Shown } from './statement.ts'

const BUILT = git(
  'a linked project is built from its branch or the one named; again from the latest commit, or from the same',
)
const JOURNEY = journey(
  'a folder becomes a running, routed service; a change goes live; a rollback brings the old one back without a build',
)
const REFUSES = create('POST /api/deployments/build/access', 'refuses a wrong %s and names it: %j')
const access = (name: string) => create('POST /api/deployments/build/access', name)

const LIST: Shown[] = [
  {
    id: 'list.organization',
    route: 'GET /api/deployments',
    says: 'lists the deployments of the organization.',
    tests: [create('GET /api/deployments', 'lists the deployments of the organization, newest first, by pages')],
  },
  {
    id: 'list.project',
    route: 'GET /api/deployments',
    says: 'lists those of `projectId` where that is given.',
    tests: [create('GET /api/deployments', 'lists those of one project when it is asked for')],
  },
]

const CREATE: Shown[] = [
  {
    id: 'create.git',
    route: 'POST /api/deployments',
    says: 'deploys a linked project from its git source, from `branch` where that is given.',
    tests: [
      create(
        'POST /api/deployments',
        'answers with success, deployment_id and project_id, and takes the branch named or that of the project',
      ),
      BUILT,
    ],
  },
  {
    id: 'create.unlinked',
    route: 'POST /api/deployments',
    says: 'without `projectId`, or of a project that is linked to nothing: 400.',
    tests: [create('POST /api/deployments', 'needs a project, and one that is linked to a repository')],
  },
  {
    id: 'prepare.detects',
    route: 'POST /api/deployments/prepare',
    says: 'tells framework, package manager, build and start commands.',
    tests: [
      prepare('200', 'tells what an upload is, why, and how it would be built; creates nothing'),
      prepare('200', 'names each part of a monorepo, with a Dockerfile of its own; or only the one that is asked for'),
    ],
  },
  {
    id: 'prepare.creates-nothing',
    route: 'POST /api/deployments/prepare',
    says: 'creates nothing.',
    tests: [prepare('200', 'tells what an upload is, why, and how it would be built; creates nothing')],
  },
  {
    id: 'prepare.source',
    route: 'POST /api/deployments/prepare',
    says: 'takes `source: githost` or `local`, with what they refer to; anything else is 400.',
    tests: [
      prepare('400', '%s'),
      prepare('a folder of the machine', 'is looked at where the operator allows it, without what leads out of it'),
    ],
  },
  {
    id: 'prepare.cloud',
    route: 'POST /api/deployments/prepare',
    says: 'of a local source in cloud mode: 403.',
    tests: [prepare('403: in cloud mode there are no local sources')],
  },
]

const ACCESS: Shown[] = [
  {
    id: 'build-access.answer',
    route: 'POST /api/deployments/build/access',
    says: 'makes a deployment and answers `{success, deployment_id, project_id}`.',
    tests: [access('answers with success, deployment_id and project_id, and nothing else; the deployment is there')],
  },
  {
    id: 'access.dry-run',
    route: 'POST /api/deployments/build/access',
    says: 'with `dryRun` checks the same, writes nothing, and answers what would be done.',
    tests: [
      preview(
        'of a project that never ran, a dry run says what is created and where names would lead, and claims none of them',
      ),
      previewRefused('a dry run refuses what a deployment refuses, and leaves nothing behind'),
    ],
  },
  {
    id: 'build-access.starts',
    route: 'POST /api/deployments/build/access',
    says: 'starts the build by itself.',
    tests: [JOURNEY],
  },
  {
    id: 'build-access.folder',
    route: 'POST /api/deployments/build/access',
    says: 'deploys a folder: `projectId` from ensuring the project, `uploadSessionId` from a folder session.',
    tests: [access('takes the project that was ensured and the folder that was uploaded for it'), JOURNEY],
  },
  {
    id: 'build-access.folder-unsealed',
    route: 'POST /api/deployments/build/access',
    says: 'of a folder that is not complete: 400; of one of another organization: 404.',
    tests: [access('refuses a folder that is not sealed, and does not know one of another organization')],
  },
  {
    id: 'build-access.git',
    route: 'POST /api/deployments/build/access',
    says: 'deploys a git project, from `branch` or from its own.',
    tests: [access('takes a git project with a branch or without'), BUILT],
  },
  {
    id: 'build-access.strategy',
    route: 'POST /api/deployments/build/access',
    says: 'takes `buildStrategy`: auto, dockerfile, static, image, compose.',
    tests: [access('takes the build strategy %s'), REFUSES],
  },
  {
    id: 'build-access.invalid',
    route: 'POST /api/deployments/build/access',
    says: 'with a field that is missing or wrong: 400 that names it.',
    tests: [REFUSES],
  },
  {
    id: 'build-access.target',
    route: 'POST /api/deployments/build/access',
    says: 'refuses a `deployTarget` that contradicts the server, or has none.',
    tests: [targets('a target that contradicts the server is refused')],
  },
  {
    id: 'build-access.mode-decides',
    route: 'POST /api/deployments/build/access',
    says: 'without `deployTarget` goes where the upload session’s mode says.',
    tests: [targets('a folder that was uploaded for the cloud is deployed there, and needs one')],
  },
  {
    id: 'build-access.cloud-folder',
    route: 'POST /api/deployments/build/access',
    says: 'of a folder for a machine of one’s own, in cloud mode: 403; deploying it again as well.',
    tests: [
      targets('in a cloud, a folder that was meant for a server of one’s own is not deployed, nor deployed again'),
    ],
  },
]

const SSL: Shown[] = [
  {
    id: 'ssl.status',
    route: 'POST /api/deployments/ssl/status',
    says: 'tells of the certificate of `domain` and changes nothing.',
    tests: [sslStatus('200', 'tells the certificate and where the name leads; one handshake, and no row anywhere')],
  },
  {
    id: 'ssl.status-domain',
    route: 'POST /api/deployments/ssl/status',
    says: 'needs `domain`, a text that is one: else 400.',
    tests: [sslStatus('400', '%j is no domain')],
  },
  {
    id: 'ssl.renew',
    route: 'POST /api/deployments/ssl/renew',
    says: 'gets a new certificate for `domain`.',
    tests: [renew('answers with the new certificate, though the old one is good for long')],
  },
  {
    id: 'ssl.renew-domain',
    route: 'POST /api/deployments/ssl/renew',
    says: 'needs `domain`: else 400. One that is not of the organization: 404.',
    tests: [domains('renew', 'needs a domain'), domains('renew', 'finds no domain that is not of the organization')],
  },
]

/** The routes that begin a deployment, and those about certificates. */
export const DEPLOYMENT_ROUTES: Shown[] = [...LIST, ...CREATE, ...ACCESS, ...SSL]
