import { posix } from 'node:path'
import { isRemote } from '../paths.ts'
import type { NormalBuild } from '../project.ts'
import type { BuildContext, ComposeBuild } from './service.ts'

/** What the builder is asked to do; paths are those of the tree. */
export function buildOf(build: NormalBuild): ComposeBuild {
  const context = contextOf(build.context)
  const { dockerfile = 'Dockerfile', dockerfile_inline: text } = build
  const path = context.kind === 'tree' ? posix.join(context.path, dockerfile) : dockerfile
  return {
    context,
    dockerfile: text === undefined ? { path } : { text },
    args: build.args ?? {},
    target: build.target ?? null,
    labels: build.labels ?? {},
    contexts: Object.fromEntries(
      Object.entries(build.additional_contexts ?? {}).map(([name, one]) => [name, contextOf(one)]),
    ),
    hosts: hostsOf(build.extra_hosts),
    secrets: (build.secrets ?? []).map(({ source, target }) => ({ id: target ?? source, secret: source })),
    noCache: build.no_cache ?? false,
    pull: build.pull ?? false,
  }
}

const contextOf = (written: string): BuildContext =>
  isRemote(written) ? { kind: 'remote', address: written } : { kind: 'tree', path: written }

/** `name=address` */
export const hostsOf = (lines: string[] = []) =>
  lines.map((line) => ({ name: line.slice(0, line.indexOf('=')), address: line.slice(line.indexOf('=') + 1) }))
