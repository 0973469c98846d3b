import { application } from './application.ts'
import type { Bench, Wish } from './bench.ts'
import { type Case, overGoodOf, type Wrong, wordsOf } from './case.ts'

let taken = 0
/** Below those of the edge, and another one each time. */
const freePort = ({ site }: Bench) => site.httpPort - 20_000 + ++taken

/** The application of the other cases, with a port of the server: only a compose file asks for one. */
async function published(bench: Bench, port: number, env: Record<string, string> = {}): Promise<Wish> {
  const web = {
    image: 'node:24-slim',
    command: ['node', '-e', application.replaceAll('$', '$$$$')],
    environment: { PORT: '3000', ...env },
    ports: [`${port}:3000`],
    healthcheck: {
      test: ['CMD', 'node', '-e', `fetch('http://127.0.0.1:3000/healthz').then((a) => process.exit(a.ok ? 0 : 1))`],
      ...{ interval: '1s', timeout: '3s', retries: 3, start_period: '4s' },
    },
  }
  const { id } = await bench.site.upload({ 'compose.yaml': JSON.stringify({ services: { web } }) })
  return { from: { uploadSessionId: id }, config: { port: 3000, exposed: true } }
}

const byContainer: Wrong = {
  code: 'port_taken',
  step: 'rollout',
  message: /^A port is in use: /,
  hint: /Stop what uses it, or choose another port/,
}
const byService: Wrong = {
  code: 'port_taken',
  step: 'rollout',
  message: /^web: port \d+ of the server belongs to another service\.$/,
  hint: /Choose another port of the server/,
}
const exits: Wrong = {
  code: 'crashed',
  step: 'rollout',
  message: /^The service ended with code 3.* Its last line: fatal: DATABASE_URL is missing$/,
  hint: /last lines/,
  line: /^fatal: DATABASE_URL is missing$/,
}

/** What came to nothing, while somebody else has its port. */
async function refused(bench: Bench, slug: string, port: number, wrong: Wrong): Promise<string[]> {
  const projectId = await bench.project(slug)
  const seen = await bench.deploy(projectId, await published(bench, port))
  const left = (await bench.service(projectId)) ? ['its service is still on the engine'] : []
  return [...(await wordsOf(bench, seen, wrong)), ...left]
}

export const publishedCases: Case[] = [
  {
    name: 'first: its port of the server belongs to what was started by hand',
    probe: 'create port taken by a process',
    async run(bench, slug) {
      const port = freePort(bench)
      const byHand = await bench.docker.createContainer({
        Image: 'busybox:1',
        Cmd: ['sleep', '600'],
        ExposedPorts: { '80/tcp': {} },
        HostConfig: { PortBindings: { '80/tcp': [{ HostPort: String(port) }] } },
      })
      try {
        await byHand.start()
        return await refused(bench, slug, port, byContainer)
      } finally {
        await byHand.remove({ force: true })
      }
    },
  },
  {
    name: 'first: its port of the server belongs to another project',
    probe: 'create port taken by a service',
    async run(bench, slug) {
      const port = freePort(bench)
      await bench.serving(`${slug}-has-it`, await published(bench, port))
      return refused(bench, slug, port, byService)
    },
  },
  {
    name: 'over good: exits at once, and only one of the two can have its port',
    probe: 'update good to exit, stop-first',
    async run(bench, slug) {
      const port = freePort(bench)
      const serving = await bench.serving(slug, await published(bench, port))
      return overGoodOf(bench, serving, await published(bench, port, { MODE: 'exit', VERSION: 'v2' }), exits, 30_000)
    },
  },
]
