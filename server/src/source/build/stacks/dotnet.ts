import { posix } from 'node:path'
import { type Choices, type Found, found } from '../detection.ts'
import { cmd, copy, env, lines, openPort, run, workdir } from '../dockerfile.ts'
import type { Look } from '../look.ts'

const DEFAULT = '9.0'
const PORT = 8080
/** Ends up in commands. */
const PLAIN = /^[\w.-]+(?:\/[\w.-]+)*\.(?:cs|fs|vb)proj$/

/** A .NET project: the one for the web, where there are several. */
export async function detectDotnet(look: Look): Promise<Found | null> {
  const projects = look.files().filter((path) => PLAIN.test(path) && path.split('/').length <= 3)
  const best = await bestOf(look, projects)
  if (best === null) return null
  const { path, text } = best
  const version = /<TargetFramework>net(\d+\.\d+)/.exec(text)?.[1] ?? DEFAULT
  const web = /Sdk="Microsoft\.NET\.Sdk\.Web"/.test(text)
  const assembly =
    /<AssemblyName>([\w.-]+)<\/AssemblyName>/.exec(text)?.[1] ?? posix.basename(path).replace(/\.\w+proj$/, '')
  const others = projects.filter((one) => one !== path && !/test/i.test(one))
  const app = { path, version, web, start: `dotnet ${assembly}.dll` }
  return found({
    strategy: 'server',
    language: path.endsWith('.fsproj') ? 'fsharp' : path.endsWith('.vbproj') ? 'vb' : 'csharp',
    framework: web ? 'aspnetcore' : null,
    packageManager: 'nuget',
    installCommand: `dotnet restore ${path}`,
    buildCommand: `dotnet publish ${path} --configuration Release --no-restore --output /out`,
    startCommand: app.start,
    port: PORT,
    because: [`the source has ${path}`, ...(web ? ['it uses the web SDK'] : []), `it targets .NET ${version}`],
    warnings: others.length > 0 && !web ? [`Of ${projects.join(', ')}, ${path} is built.`] : [],
    confidence: web ? 'high' : 'medium',
    recipe: (choices) => dotnetDockerfile(app, choices),
  })
}

async function bestOf(look: Look, projects: string[]): Promise<{ path: string; text: string } | null> {
  const read = await Promise.all(
    projects.slice(0, 30).map(async (path) => ({ path, text: (await look.text(path)) ?? '' })),
  )
  const programs = read.filter(({ text }) => /Microsoft\.NET\.Sdk\.Web"|<OutputType>(?:Win)?Exe</i.test(text))
  return programs.find(({ text }) => text.includes('Microsoft.NET.Sdk.Web')) ?? programs[0] ?? null
}

type DotnetApp = { path: string; version: string; web: boolean; start: string }

function dotnetDockerfile({ path, version, web, start }: DotnetApp, choices: Choices): string {
  const { secrets } = choices
  const port = choices.port ?? PORT
  const caches = [{ id: 'nuget', target: '/cache/nuget' }]
  const registry = 'mcr.microsoft.com/dotnet'
  return lines(
    `FROM ${registry}/sdk:${version} AS build`,
    workdir('/src'),
    env({ NUGET_PACKAGES: '/cache/nuget', DOTNET_CLI_TELEMETRY_OPTOUT: 1, DOTNET_NOLOGO: 1 }),
    'COPY . .',
    run(choices.installCommand ?? `dotnet restore ${path}`, { caches, secrets }),
    run(choices.buildCommand ?? `dotnet publish ${path} --configuration Release --no-restore --output /out`, {
      caches,
      secrets,
    }),
    '',
    `FROM ${registry}/${web ? 'aspnet' : 'runtime'}:${version}`,
    workdir('/app'),
    env({ PORT: port, ASPNETCORE_HTTP_PORTS: port }),
    copy(['/out/'], './', { from: 'build' }),
    'USER 1000',
    `EXPOSE ${port}`,
    openPort(port),
    cmd(choices.startCommand ?? start),
  )
}
