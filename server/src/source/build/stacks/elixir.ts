import { type Choices, type Found, found } from '../detection.ts'
import { cmd, copy, env, lines, openPort, run, workdir } from '../dockerfile.ts'
import type { Look } from '../look.ts'

const DEFAULT = '1.18'
const KNOWN = ['1.19', '1.18', '1.17', '1.16', '1.15']
const PORT = 4000

/** A release: the program with its own runtime. */
export async function detectElixir(look: Look): Promise<Found | null> {
  const mix = await look.text('mix.exs')
  const name = /\bapp:\s*:(\w+)/.exec(mix ?? '')?.[1]
  if (mix === null || name === undefined) return null
  const phoenix = /\{:phoenix,/.test(mix)
  const said = /elixir:\s*"[~>= ]*(\d+\.\d+)/.exec(mix)?.[1]
  // "~> 1.14" means that or newer.
  const version =
    said !== undefined && KNOWN.indexOf(said) >= 0 && KNOWN.indexOf(said) < KNOWN.indexOf(DEFAULT) ? said : DEFAULT
  const assets = /"assets\.deploy"|assets\.deploy:/.test(mix)
  const locked = look.has('mix.lock')
  const app = { name, version, assets, locked, phoenix }
  return found({
    strategy: 'server',
    language: 'elixir',
    framework: phoenix ? 'phoenix' : null,
    packageManager: 'mix',
    installCommand: 'mix deps.get --only prod',
    buildCommand: `${assets ? 'mix assets.deploy && ' : ''}mix release`,
    startCommand: `/app/bin/${name} start`,
    port: PORT,
    because: [`mix.exs makes the application ${name}`, ...(phoenix ? ['it depends on phoenix'] : [])],
    warnings: [
      ...(phoenix ? ['Phoenix needs SECRET_KEY_BASE and PHX_HOST among the variables to start.'] : []),
      ...(locked ? [] : ['Without mix.lock, each build may install other versions.']),
    ],
    confidence: phoenix ? 'high' : 'medium',
    recipe: (choices) => elixirDockerfile(app, choices),
  })
}

type ElixirApp = { name: string; version: string; assets: boolean; locked: boolean; phoenix: boolean }

function elixirDockerfile({ name, version, assets, locked, phoenix }: ElixirApp, choices: Choices): string {
  const { secrets } = choices
  const port = choices.port ?? PORT
  const caches = [{ id: 'hex', target: '/cache/hex' }]
  const build = choices.buildCommand ?? `${assets ? 'mix assets.deploy && ' : ''}mix release`
  return lines(
    `FROM elixir:${version} AS build`,
    workdir('/src'),
    env({ MIX_ENV: 'prod', HEX_HOME: '/cache/hex' }),
    run('mix local.hex --force && mix local.rebar --force', { caches }),
    copy(['mix.exs', ...(locked ? ['mix.lock'] : [])], './'),
    run(choices.installCommand ?? 'mix deps.get --only prod', { caches, secrets }),
    'COPY . .',
    run('mix compile', { caches, secrets }),
    run(build, { caches, secrets }),
    run(`cp -r _build/prod/rel/${name} /out`),
    '',
    // The same system that it was built on: a release brings all but that.
    `FROM elixir:${version}-slim`,
    workdir('/app'),
    env({ PORT: port, LANG: 'C.UTF-8', ...(phoenix && { PHX_SERVER: 'true' }) }),
    copy(['/out/'], './', { from: 'build', chown: '1000:1000' }),
    'USER 1000',
    `EXPOSE ${port}`,
    openPort(port),
    cmd(choices.startCommand ?? `/app/bin/${name} start`),
  )
}
