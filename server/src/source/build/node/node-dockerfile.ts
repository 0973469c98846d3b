import { posix } from 'node:path'
import { Refusal } from '../../../errors.ts'
import type { Choices } from '../detection.ts'
import { cmd, copy, env, healthcheck, lines, openPort, run, workdir } from '../dockerfile.ts'
import { caddyStage } from '../stacks/static.ts'
import type { Part, Shape } from './framework.ts'
import type { Layout } from './layout.ts'
import type { Manager } from './package-manager.ts'

const APP = '/app'
const OWNER = '1000:1000'

/** Dependencies from the lock file, a build where there is one, and a second stage with only what runs. */
export function nodeDockerfile(layout: Layout, shape: Shape, choices: Choices): string {
  const start = choices.startCommand ?? (shape.kind === 'server' && !choices.files ? shape.start : undefined)
  const build = buildStage(layout, shape, choices, start !== undefined)
  if (start !== undefined) {
    const made = build.some((line) => line.startsWith('RUN'))
    return lines(...(made ? [...build, ''] : []), ...serverStage(layout, shape, choices, { start, made }))
  }
  const output = choices.outputDirectory ?? ('output' in shape ? shape.output : 'dist')
  const folder = within(layout.folder, output)
  const fallback = 'fallback' in shape ? shape.fallback : 'spa'
  const copied = copy([`${posix.join(APP, folder)}/`], '/srv/', { from: 'build' })
  return lines(...build, '', ...caddyStage({ copied, fallback, port: choices.port ?? 8080 }))
}

function buildStage(layout: Layout, shape: Shape, choices: Choices, runs: boolean): string[] {
  const { manager, node, folder, manifests } = layout
  const { secrets } = choices
  const caches = [{ id: manager.name, target: `/cache/${manager.name}` }]
  const install = choices.installCommand ?? (layout.install === null ? undefined : quietly(layout.install))
  const build = choices.buildCommand ?? layout.build ?? undefined
  const first = install === undefined || choices.installCommand !== undefined ? null : manifests
  const prune = runs && choices.installCommand === undefined ? layout.prune : null
  return [
    `FROM node:${node.major}${layout.compiles ? '' : '-slim'} AS build`,
    workdir(APP),
    env({ ...cacheSettings(manager), PATH: pathOf(folder), ...shape.buildEnv }),
    ...(manager.package === null || (install ?? build) === undefined
      ? []
      : [run(`npm install --global --force --no-audit --no-fund ${manager.package}`)]),
    ...(first === null ? ['COPY . .'] : copyManifests(first)),
    ...(install === undefined ? [] : [run(install, { caches, secrets })]),
    ...(first === null ? [] : ['COPY . .']),
    ...(build === undefined ? [] : [run(build, { secrets, caches: buildCaches(shape, folder) })]),
    ...(prune === null ? [] : [run(prune, { caches })]),
  ]
}

/** One instruction for what lies at the root, one for each folder. */
function copyManifests(paths: string[]): string[] {
  const atRoot = paths.filter((path) => !path.includes('/'))
  const others = paths.filter((path) => path.includes('/'))
  return [
    copy(atRoot, './'),
    ...others.map((path) => copy([path], path.endsWith('/') ? path : `${posix.dirname(path)}/`)),
  ]
}

type Started = { start: string; made: boolean }

function serverStage(layout: Layout, shape: Shape, choices: Choices, { start, made }: Started): string[] {
  const { node, manager, folder } = layout
  const port = choices.port ?? ('port' in shape ? shape.port : 3000)
  const own = choices.startCommand === undefined && shape.kind === 'server' ? shape : undefined
  const bun = /^(?:\S+=\S+ )*bun\b/.test(start)
  const needsManager = !bun && manager.package !== null && new RegExp(`(?:^|[ ;&|])${manager.name} `).test(start)
  const settings = { NODE_ENV: 'production', PORT: port, HOST: '0.0.0.0' }
  return [
    bun ? 'FROM oven/bun:1-slim' : `FROM node:${node.major}-slim`,
    ...(layout.prisma
      ? [run('apt-get update && apt-get install -y --no-install-recommends openssl && rm -rf /var/lib/apt/lists/*')]
      : []),
    ...(needsManager ? [run(`npm install --global --force --no-audit --no-fund ${manager.package}`)] : []),
    workdir(APP),
    env({ ...settings, PATH: pathOf(folder), ...(own?.runEnv ?? {}) }),
    ...(own?.only
      ? own.only.map((part) => copyPart(folder, part))
      : [made ? copy([APP], './', { from: 'build', chown: OWNER }) : copy(['.'], './', { chown: OWNER })]),
    ...(folder === '' ? [] : [workdir(posix.join(APP, folder))]),
    'USER 1000',
    `EXPOSE ${port}`,
    bun ? openPort(port) : healthcheck(['node', '-e', CONNECT]),
    cmd(start),
  ]
}

const CONNECT =
  "require('net').connect(process.env.PORT).on('connect', () => process.exit(0)).on('error', () => process.exit(1))"

/** `./` and no more for the root itself. */
const below = (path: string) => (path === '.' || path === '' ? './' : `./${path}/`)

const copyPart = (folder: string, { from, to, fromRoot }: Part): string =>
  copy([`${posix.join(APP, folder, from)}/`], below(posix.join(fromRoot ? '' : folder, to)), {
    from: 'build',
    chown: OWNER,
  })

const pathOf = (folder: string) =>
  `${folder === '' ? '' : `${posix.join(APP, folder)}/node_modules/.bin:`}${APP}/node_modules/.bin:$PATH`

const quietly = (command: string) => (command.startsWith('npm ') ? `${command} --no-audit --no-fund` : command)

/** Where each package manager keeps what it has fetched; the folder is a cache of the project. */
function cacheSettings({ name, berry }: Manager): Record<string, string> {
  if (name === 'npm') return { npm_config_cache: '/cache/npm', npm_config_update_notifier: 'false' }
  if (name === 'pnpm') return { npm_config_store_dir: '/cache/pnpm', pnpm_config_store_dir: '/cache/pnpm' }
  if (name === 'bun') return { BUN_INSTALL_CACHE_DIR: '/cache/bun' }
  if (!berry) return { YARN_CACHE_FOLDER: '/cache/yarn' }
  // Plug'n'Play would need Yarn and its cache in the running image as well.
  const linker = { YARN_NODE_LINKER: 'node-modules', YARN_ENABLE_TELEMETRY: '0' }
  return { YARN_GLOBAL_FOLDER: '/cache/yarn', YARN_ENABLE_GLOBAL_CACHE: 'true', ...linker }
}

function buildCaches({ buildCache }: Shape, folder: string) {
  if (buildCache === undefined) return []
  const id = `build${folder === '' ? '' : `-${folder.replace(/[^\w-]/g, '-')}`}`
  return [{ id, target: posix.join(APP, folder, buildCache) }]
}

/** An output folder may lie beside the package, but not outside of the source. */
function within(folder: string, output: string): string {
  const path = posix.join(folder, output)
  if (!path.startsWith('..') && !path.startsWith('/')) return path
  throw new Refusal('nothing_to_build', `The output directory ${output} lies outside of the source.`, {
    hint: 'Name one inside with outputDirectory.',
  })
}
