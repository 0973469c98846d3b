import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { labPart } from '../../../lab/ask.ts'
import { bootstrap } from '../../../test-kit/built-server.ts'
import { content, sendFolder } from '../../../test-kit/send-folder.ts'
import { type Ground, SERVES } from './ground.ts'

type Ended = { status: string; error?: unknown }
type Try = { what: string; image?: string; files?: Record<string, string> }

const SERVE = `EXPOSE 3000\n${SERVES}\n`

const dockerfile = (what: string, text: string): Try => ({ what, files: { Dockerfile: text } })

/** Every field that an image can be named in, while it lies on the engine. */
function tries({ app: { image, digest }, registry: { address } }: Ground, free: string): Try[] {
  return [
    { what: 'an image by its name', image },
    { what: 'an image by its digest', image: digest },
    { what: 'an image by its name and digest', image: `${image}@${digest.split('@')[1]}` },
    { what: 'an image of a compose file', files: { 'compose.yaml': `services:\n  web:\n    image: ${image}\n` } },
    {
      what: 'a build of a compose file',
      files: {
        'compose.yaml': `services:\n  web:\n    build:\n      context: .\n      additional_contexts:\n        x: docker-image://${image}\n      dockerfile_inline: |\n        FROM x\n        EXPOSE 3000\n`,
      },
    },
    dockerfile('a base', `FROM ${image}\n`),
    dockerfile('a base by its digest', `FROM ${digest}\n`),
    dockerfile('a base put together', `ARG A=${address}\nARG B=app:1\nFROM $A/team/$B\n`),
    dockerfile('a stage', `FROM ${image} AS one\nRUN true\nFROM ${free}\nCOPY --from=one /bin/busybox /x\n${SERVE}`),
    dockerfile('a copy', `FROM ${free}\nCOPY --from=${image} /bin/busybox /x\n${SERVE}`),
    dockerfile('a mount', `FROM ${free}\nRUN --mount=type=bind,from=${image},target=/m /m/bin/busybox true\n${SERVE}`),
    dockerfile('a frontend', `# syntax=${image}\nFROM ${free}\n${SERVE}`),
  ]
}

/** Another project of the organization, without a credential; and another organization, on a machine of its own. */
export async function thieves(ground: Ground): Promise<{ tried: number; faults: string[] }> {
  const { site, serverId } = ground
  const faults: string[] = []
  const neighbour = await site.project('neighbour', { serverId })
  const other = await foreigner(ground)
  const free = await publicBase(ground)
  const all = tries(ground, free)
  // What nobody keeps from them works, or that nothing does would show nothing.
  const allowed = dockerfile('what is open to all', `FROM ${free}\nRUN true\n${SERVE}`)
  for (const one of [allowed, ...all]) {
    for (const [who, token, projectId] of [
      ['another project', site.token, neighbour],
      ['another organization', other.token, other.projectId],
    ] as const) {
      const ended = await attempt(ground, token, projectId, one)
      if (one === allowed ? ended.status !== 'ready' : ended.status === 'ready')
        faults.push(`${who}, by ${one.what}: ${ended.status} ${JSON.stringify(ended.error ?? null)}`)
    }
  }
  return { tried: all.length * 2, faults }
}

/** In the registry of the lab that asks nobody: bases are asked for, also where the engine has them. */
async function publicBase({ docker }: Ground): Promise<string> {
  const name = `${labPart('registry').address}/open/base:1`
  await docker('tag', 'busybox:1', name)
  await docker('push', '--quiet', name)
  return name
}

async function attempt({ site }: Ground, token: string, projectId: string, { image, files }: Try): Promise<Ended> {
  const post = async (path: string, body: unknown) => {
    const answer = await fetch(`${site.base()}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    })
    return (await answer.json()) as { deployment_id?: string; status?: string }
  }
  const contents = Object.entries(files ?? {}).map(([path, text]) => content(path, text))
  const what = files ? { uploadSessionId: (await sendFolder(site.base(), token, contents)).id } : { image }
  const { deployment_id: id } = await post('/api/deployments/build/access', { projectId, ...what })
  if (id === undefined) return { status: 'refused' }
  for (let looks = 0; looks < 600; looks++) {
    const answer = await fetch(`${site.base()}/api/deployments/${id}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const seen = (await answer.json()) as Ended
    if (!['queued', 'building', 'deploying'].includes(seen.status)) return seen
    await new Promise((later) => setTimeout(later, 500))
  }
  return { status: 'never ended' }
}

async function foreigner({ site }: Ground): Promise<{ token: string; projectId: string }> {
  const { token } = await bootstrap(site.databaseUrl, 'other@example.com')
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${site.base()}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    })
    return { status: answer.status, body: (await answer.json()) as { id: string } }
  }
  const { address, port, user, keyFile } = labPart('host2')
  const { readFileSync } = await import('node:fs')
  const login = { host: address, port, user, privateKey: readFileSync(keyFile, 'utf8') }
  const { body: server } = await ask('POST', '/api/servers', { kind: 'ssh', name: 'other', ...login })
  await ask('POST', `/api/servers/${server.id}/check`)
  const { body: project } = await ask('POST', '/api/projects', { name: 'foreign', serverId: server.id })
  return { token, projectId: project.id }
}

/** The id of the credential, as another organization would use it: everywhere as if there were none. */
export async function foreignIds({ site }: Ground, id: string, projectId: string): Promise<string[]> {
  const { token } = await bootstrap(site.databaseUrl, 'other@example.com')
  const ask = (method: string, path: string, body?: unknown) =>
    fetch(`${site.base()}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).then(({ status }) => status)
  const one = `/api/registries/${id}`
  const found = [
    ['GET', await ask('GET', one), 404],
    ['PATCH', await ask('PATCH', one, { path: 'mine' }), 404],
    ['check', await ask('POST', `${one}/check`), 404],
    ['DELETE', await ask('DELETE', one), 404],
    [
      'its project',
      await ask('POST', '/api/registries', { host: 'r.invalid', username: 'u', password: 'p', projectId }),
      400,
    ],
  ] as const
  return found.flatMap(([what, status, wanted]) => (status === wanted ? [] : [`${what} answered ${status}`]))
}

/** A registry of whoever may deploy: what it hears. */
export async function listener() {
  const heard: string[] = []
  let asked = 0
  const server = createServer(({ headers }, response) => {
    asked += 1
    if (headers.authorization !== undefined) heard.push(headers.authorization)
    response.writeHead(401, { 'www-authenticate': 'Basic realm="give"' }).end()
  })
  const { gateway } = labPart('engine')
  await new Promise<void>((listening) => server.listen(0, gateway, listening))
  return {
    address: `${gateway}:${(server.address() as AddressInfo).port}`,
    heard: () => ({ heard, asked }),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
