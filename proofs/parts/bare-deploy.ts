import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type Docker from 'dockerode'
import { engineAt } from '../../test-kit/engine.ts'
import type { Files } from '../../test-kit/sample-app.ts'
import { until } from '../../test-kit/until.ts'

/** What a careful person does by hand: docker buildx build, a service update, and waiting until it has held. */
export type BareDeploy = {
  deploy(files: Files): Promise<{ ms: number; buildMs: number; upMs: number; heldMs: number }>
  close(): Promise<void>
}

type Engine = { socket: string; buildx: string }
const LABEL = 'proof.bare'
const DEADLINE_MS = 60_000
const POLL_MS = 50
const soon = <T>(what: string, check: () => Promise<T | undefined | false>) =>
  until(`the bare service: ${what}`, DEADLINE_MS, check, { everyMs: POLL_MS })

/** A service with the spec of one that exists, under a name of its own and unknown to the edge. */
export async function bareDeploy(engine: Engine, like: string, files: Files): Promise<BareDeploy> {
  const docker = engineAt(engine.socket)
  const name = `${like}-bare`
  const folder = mkdtempSync(join(tmpdir(), 'slipway-bare-'))
  const images: string[] = []
  const build = async (now: Files) => {
    const tag = `slipway.invalid/${name.toLowerCase().replace(/[^a-z0-9-]/g, '-')}:${images.length}`
    images.push(tag)
    write(join(folder, 'context'), now)
    const began = performance.now()
    await buildx(engine, folder, tag)
    return { tag, began }
  }
  const { Spec } = await docker.getService(like).inspect()
  const first = await build(files)
  const { id } = await docker.createService(specLike(Spec, name, first.tag))
  const service = docker.getService(id)
  await soon('it runs', () => taskOf(docker, name, first.tag))
  return {
    async deploy(now) {
      const { tag, began } = await build(now)
      const built = performance.now()
      const { Version } = await service.inspect()
      await service.update({ version: Version.Index, ...specLike(Spec, name, tag) })
      await soon('the next one runs', () => taskOf(docker, name, tag))
      const up = performance.now()
      await soon('the update is through', async () => (await service.inspect()).UpdateStatus?.State === 'completed')
      if (!(await taskOf(docker, name, tag))) throw new Error('the bare service did not hold')
      const held = performance.now()
      return { ms: held - began, buildMs: built - began, upMs: up - built, heldMs: held - up }
    },
    async close() {
      rmSync(folder, { recursive: true, force: true })
      await service.remove()
      // Its last container goes a moment later, and holds its image until then.
      const left = () => Promise.all(images.map((image) => isGone(docker, image)))
      await soon('its images are free', async () => (await left()).every(Boolean))
    },
  }
}

function write(folder: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

/** Its own program without the docker client in between, which is the faster way by hand. */
async function buildx({ socket, buildx }: Engine, folder: string, tag: string): Promise<void> {
  const argv = ['build', '--progress=plain', '--provenance=false', '--tag', tag, '--', join(folder, 'context')]
  const env = { PATH: process.env.PATH ?? '', DOCKER_HOST: `unix://${socket}`, DOCKER_CONFIG: join(folder, 'config') }
  const child = spawn(buildx, argv, { env, stdio: ['ignore', 'ignore', 'pipe'], timeout: DEADLINE_MS })
  let said = ''
  child.stderr.on('data', (part) => {
    said += part
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`the bare build ended with ${code}: ${said.slice(-500)}`)
}

// biome-ignore lint/suspicious/noExplicitAny: a spec goes back to the engine as it came from there
type Spec = any

/** The image, the name and nothing else differs: limits, health check, order and monitor period are the same. */
function specLike(spec: Spec, name: string, image: string): Spec {
  const { TaskTemplate: template } = spec
  const Networks = template.Networks.map(({ Target }: { Target: string }) => ({ Target }))
  const ContainerSpec = { ...template.ContainerSpec, Image: image, Labels: { [LABEL]: image } }
  return { ...spec, Name: name, Labels: { [LABEL]: name }, TaskTemplate: { ...template, Networks, ContainerSpec } }
}

/** A task of that image that runs, which with a health check means that it is healthy. */
async function taskOf(docker: Docker, name: string, image: string): Promise<object | undefined> {
  const tasks: Spec[] = await docker.listTasks({ filters: { service: [name], 'desired-state': ['running'] } })
  return tasks.find(({ Spec, Status }) => Spec.ContainerSpec.Image === image && Status.State === 'running')
}

const isGone = (docker: Docker, image: string): Promise<boolean> =>
  docker
    .getImage(image)
    .remove({ force: true })
    .then(
      () => true,
      ({ statusCode }: { statusCode?: number }) => statusCode === 404,
    )
