import { randomBytes } from 'node:crypto'
import type { Deployment } from '@slipway/contract/deployment-shape'
import type { Files } from '../../../test-kit/sample-app.ts'
import type { Site } from '../../../test-kit/site.ts'

type Project = { id: string; name: string }

/** What nobody but the owner may ever see, each kept in another place. */
export type Secrets = { file: string; token: string; cache: string; image: string }

export type Bench = Awaited<ReturnType<typeof openBench>>
export type Tried = { status: string; error: Deployment['error']; lines: string[] }

const mark = () => `victim-secret-${randomBytes(12).toString('hex')}`

/**
 * Two projects of one organization on one engine, once for each direction. The owner's is built, runs, and holds a secret in
 * every place there is.
 */
export async function openBenches(site: Site, serverId: string): Promise<[Bench, Bench]> {
  const project = async (name: string) => ({ id: await site.project(name, { serverId }), name })
  const [one, other] = [await project('owner'), await project('thief')]
  return [await openBench(site, one, other), await openBench(site, other, one)]
}

async function openBench(site: Site, owner: Project, thief: Project) {
  const secrets: Secrets = { file: mark(), token: mark(), cache: mark(), image: mark() }
  const variables = [{ name: 'TOKEN', value: secrets.token, scope: 'build' }]
  await site.ask('PUT', `/api/projects/${owner.id}/variables`, { variables })
  await site.ask('PUT', `/api/projects/${owner.id}/services/web`, { port: 8080, memoryMb: 32 })
  const build = async (
    project: Project,
    files: Files,
    more: object = {},
  ): Promise<Tried & { id: string; deployment: Deployment }> => {
    const id = await site.deploy(project.id, files, more)
    const deployment = await site.ended(id, 300)
    return { id, deployment, status: deployment.status, error: deployment.error, lines: await linesOf(site, id) }
  }
  const first = await build(owner, ownersFolder(secrets))
  if (first.status !== 'ready') throw new Error(`The owner's release did not come up: ${JSON.stringify(first.error)}`)
  const [service] = first.deployment.services
  return { site, secrets, owner, thief, build, image: { tag: service?.image ?? '', id: service?.digest ?? '' } }
}

/** The first two lines are those that a thief repeats, to be given what they made here. */
export const SAME_START = [
  'FROM busybox:1 AS start',
  'RUN --mount=type=secret,id=TOKEN cat /run/secrets/TOKEN > /private; true',
]

export const ownersFolder = ({ file, cache, image }: Secrets): Files => ({
  'src/.env': `KEY=${file}`,
  'src/cache': cache,
  'src/image': image,
  'www/index.html': 'the owner',
  Dockerfile: [
    ...SAME_START,
    'FROM busybox:1',
    'COPY . /',
    'RUN --mount=type=cache,id=shared,target=/c cp /src/cache /c/kept',
    'RUN --mount=type=cache,target=/kept cp /src/cache /kept/kept',
    'COPY --from=start /private /private',
    'CMD ["httpd", "-f", "-p", "8080", "-h", "/www"]\n',
  ].join('\n'),
})

/** All that a build printed, page by page. */
export async function linesOf(site: Site, id: string): Promise<string[]> {
  const lines: string[] = []
  let cursor: string | null = null
  do {
    const next: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page: { data: { line: string }[]; nextCursor: string | null } = await site.ask(
      'GET',
      `/api/deployments/${id}/logs?limit=5000${next}`,
    )
    lines.push(...page.data.map(({ line }) => line))
    cursor = page.nextCursor
  } while (cursor !== null)
  return lines
}

/** What came of the attempts on one way in. */
export type Row = { trap: string; tried: number; broken: string[]; note?: string }

/** One attempt fails once, however much is wrong with it. */
export const together = (broken: string[]) => (broken.length === 0 ? [] : [broken.join('; ')])

export const say = ({ trap, tried, broken, note }: Row) => {
  console.log(`  ${trap}: ${tried - broken.length} of ${tried} ${note ?? 'attempts failed to read anything'}`)
  for (const line of broken) console.log(`    ${line}`)
}
