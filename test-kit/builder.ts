import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { BuildEvent, Builder, BuildRequest } from '../server/src/drivers/builder/builder.ts'
import { buildxBuilder } from '../server/src/drivers/builder/buildx.ts'
import { askSocket } from '../server/src/drivers/engine/ask-socket.ts'
import type { EngineTarget } from '../server/src/drivers/engine/engine.ts'

// For tests: a builder with a folder of its own, requests with defaults, and the removal of all that was made.

export const HELPER_IMAGE = 'busybox:1'
const roomy = { memoryBytes: 512 << 20, cpus: 2, pids: 200 }

export type Bench = ReturnType<typeof openBench>

/** `socket` leads to the engine directly, also when `target` goes another way: cleaning up should not depend on it. */
export function openBench({ socket, buildx, target }: { socket: string; buildx: string; target?: EngineTarget }) {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-builder-'))
  const scratch = join(folder, 'scratch')
  const instance = randomBytes(6).toString('hex')
  const builder = buildxBuilder({ buildx, scratch, instance, helperImage: HELPER_IMAGE })
  const projects = new Set<string>()
  const tags = new Set<string>()
  const ask = <T>(path: string, method: 'GET' | 'POST' | 'DELETE' = 'GET', body?: object) =>
    askSocket<T>(socket, { path, method, ...(body && { body }), signal: AbortSignal.timeout(20_000) })

  return {
    folder,
    scratch,
    instance,
    builder,
    ask,
    project() {
      const project = `prj_b${randomBytes(8).toString('hex')}`
      projects.add(project)
      return project
    },
    request(project: string, text: string, more: Partial<BuildRequest> = {}): BuildRequest {
      const tag = `slipway.invalid/${project}:${randomBytes(8).toString('hex')}`
      tags.add(tag)
      return {
        engine: target ?? { kind: 'local', socketPath: socket },
        project,
        build: `dep_${randomBytes(6).toString('hex')}`,
        service: 'web',
        context: join(folder, project),
        dockerfile: { text },
        args: {},
        secrets: {},
        tag,
        limits: roomy,
        deadlineMs: 30_000,
        ...more,
      }
    },
    async write(project: string, files: Record<string, string>) {
      for (const [path, text] of Object.entries(files)) {
        const file = join(folder, project, path)
        await mkdir(dirname(file), { recursive: true })
        await writeFile(file, text)
      }
    },
    run: (request: BuildRequest, signal?: AbortSignal) => run(builder, request, signal),
    async close() {
      await builder.endLeftovers()
      for (const tag of tags) await ask(`/images/${tag}?force=1`, 'DELETE').catch(() => {})
      await removeCgroups(ask, [...projects])
      rmSync(folder, { recursive: true })
    },
  }
}

async function run(builder: Builder, request: BuildRequest, signal = new AbortController().signal) {
  await mkdir(request.context, { recursive: true })
  const events: BuildEvent[] = []
  const result = await builder.build(request, (event) => events.push(event), signal)
  const lines = events.flatMap((event) => (event.type === 'log' ? [event.line] : []))
  return { result, events, lines }
}

/** As the limits were made: by a container on the engine's host. */
async function removeCgroups(ask: Bench['ask'], projects: string[]): Promise<void> {
  if (projects.length === 0) return
  const named = projects.flatMap((project) => ['-o', '-path', `*/slipway/${project}*`]).slice(1)
  const { Id } = await ask<{ Id: string }>('/containers/create', 'POST', {
    Image: HELPER_IMAGE,
    Cmd: ['find', '/cgroup', '-depth', '-type', 'd', '(', ...named, ')', '-exec', 'rmdir', '{}', ';'],
    Labels: { 'slipway.role': 'build-limits' },
    HostConfig: { Binds: ['/sys/fs/cgroup:/cgroup'], NetworkMode: 'none' },
  })
  await ask(`/containers/${Id}/start`, 'POST')
  await ask(`/containers/${Id}/wait`, 'POST')
  await ask(`/containers/${Id}?force=1`, 'DELETE')
}
