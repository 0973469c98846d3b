import { inFile, type Shown } from './statement.ts'

const cloud = (name: string) => inFile(`server/test/http/cloud/${name}.test.ts`)
const [away, guarded, list, streams] = [cloud('away'), cloud('guarded'), cloud('list'), cloud('streams')]
const transparent = cloud('transparent')
const lost = cloud('lost-answers')

/** Deployments of a cloud project, asked about at the instance that it was promoted from. */
export const CLOUD_FORWARD: Shown[] = [
  {
    id: 'cloud.forward',
    says: 'Routes of a deployment of a cloud project are passed on to the hosted cloud.',
    tests: [transparent('every route of a deployment answers through the hop as it does there, byte by byte', '%s')],
  },
  {
    id: 'cloud.forward-streams',
    says: 'Its streams are passed on as they come, and resumed where the reader was.',
    tests: [
      streams('events come through while they happen, and the stream ends with its last one'),
      streams('a reader that comes back with %s misses nothing and sees nothing twice'),
    ],
  },
  {
    id: 'cloud.forward-permission',
    says: 'The caller’s permission is checked at the instance; nothing of the caller’s credential is passed on.',
    tests: [
      guarded(
        'who is refused here is never asked about there',
        'a role or a token that lacks the permission of the route',
      ),
      guarded('what arrives there', 'is what matters of the request, and nothing of the caller’s own credential'),
    ],
  },
  {
    id: 'cloud.forward-unreachable',
    says: 'While the hosted cloud does not answer: 503 `cloud_unreachable`; what is local goes on.',
    tests: [
      away(
        'while the cloud hangs',
        'local routes are as fast as before, and of many calls only so many wait; then it is not asked at all',
      ),
    ],
  },
  {
    id: 'cloud.forward-lost',
    says: 'What a write made or removed there is known at the instance, also where its answer was lost.',
    tests: [
      lost('a write whose answer was lost', 'that made a deployment there: it is found, and reached here by its id'),
      lost('a write whose answer was lost', 'that removed one there: it is gone here'),
    ],
  },
  {
    id: 'cloud.forward-list',
    route: 'GET /api/deployments',
    says: 'lists deployments of cloud projects among the others.',
    tests: [
      list('deployments here and in the cloud', 'are one list, newest first, page by page without a hole or a repeat'),
    ],
  },
]
