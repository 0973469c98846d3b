import { type Choices, type Found, found } from '../detection.ts'
import { cmd, copy, env, lines, openPort, run, workdir } from '../dockerfile.ts'
import type { Look } from '../look.ts'

type Cargo = {
  package?: { name?: string; 'rust-version'?: string; 'default-run'?: string }
  bin?: { name?: string }[]
  workspace?: { members?: string[] }
  dependencies?: Record<string, unknown>
}

const PORTS: Record<string, number> = { axum: 3000, 'actix-web': 8080, rocket: 8000, warp: 3030, poem: 3000 }

/** One program from cargo, on a small Debian with the certificates it may need. */
export async function detectRust(look: Look): Promise<Found | null> {
  const cargo = await look.toml<Cargo>('Cargo.toml')
  if (cargo === null) return null
  const program = (await programOf(look, cargo)) ?? (await programOfMember(look, cargo))
  if (program === null) return null
  const names = Object.keys(program.cargo.dependencies ?? {})
  const framework = Object.keys(PORTS).find((name) => names.includes(name)) ?? null
  const locked = look.has('Cargo.lock')
  const lock = (await look.text('Cargo.lock')) ?? ''
  const build = `cargo build --release${locked ? ' --locked' : ''} --bin ${program.name}`
  const port = (await portOf(look, program.main)) ?? PORTS[framework ?? ''] ?? 8080
  const openssl = /^name = "openssl-sys"/m.test(lock) || names.includes('openssl')
  return found({
    strategy: 'server',
    language: 'rust',
    framework,
    packageManager: 'cargo',
    buildCommand: build,
    startCommand: '/app',
    port,
    because: [
      `Cargo.toml makes the program ${program.name}`,
      ...(framework === null ? [] : [`it depends on ${framework}`]),
      ...(locked ? ['the lock file is Cargo.lock'] : []),
    ],
    warnings: locked ? [] : ['Without Cargo.lock, each build may take other versions.'],
    confidence: program.sure ? 'high' : 'low',
    recipe: (choices) =>
      rustDockerfile({ name: program.name, build, port, openssl, rocket: framework === 'rocket' }, choices),
  })
}

type Program = { name: string; main: string; cargo: Cargo; sure: boolean }
const NAME = /^[A-Za-z0-9_-]+$/

async function programOf(look: Look, cargo: Cargo, folder = ''): Promise<Program | null> {
  const at = look.at(folder)
  const bins = (cargo.bin ?? []).map((bin) => bin.name).filter((name) => name !== undefined)
  const own = cargo.package?.['default-run'] ?? bins[0] ?? (at.has('src/main.rs') ? cargo.package?.name : undefined)
  const other = at.files().find((path) => /^src\/bin\/[\w-]+\.rs$/.test(path))
  const name = own ?? other?.slice('src/bin/'.length, -'.rs'.length)
  if (name === undefined || !NAME.test(name)) return null
  const main = [folder, at.has('src/main.rs') ? 'src/main.rs' : (other ?? 'src/main.rs')]
    .filter((part) => part !== '')
    .join('/')
  return { name, main, cargo, sure: bins.length < 2 }
}

/** Of a workspace's programs, the one called like a server, else the first. */
async function programOfMember(look: Look, cargo: Cargo): Promise<Program | null> {
  if (cargo.workspace === undefined) return null
  const folders = look
    .files()
    .filter((path) => path.endsWith('/Cargo.toml'))
    .map((path) => path.slice(0, -'/Cargo.toml'.length))
  const programs: Program[] = []
  for (const folder of folders.slice(0, 50)) {
    const member = await look.toml<Cargo>(`${folder}/Cargo.toml`)
    const program = member && (await programOf(look, member, folder))
    if (program) programs.push(program)
  }
  const best = programs.find(({ name }) => /server|api|web/.test(name)) ?? programs[0]
  return best === undefined ? null : { ...best, sure: programs.length === 1 }
}

async function portOf(look: Look, main: string): Promise<number | null> {
  const text = (await look.text(main)) ?? ''
  const said =
    /"(?:0\.0\.0\.0|127\.0\.0\.1|\[::\]):(\d{2,5})"|\(\s*"[\d.]+"\s*,\s*(\d{2,5})\s*\)|\[0, 0, 0, 0\], (\d{2,5})/.exec(
      text,
    )
  const port = said?.[1] ?? said?.[2] ?? said?.[3]
  return port === undefined ? null : Number(port)
}

type RustApp = { name: string; build: string; port: number; openssl: boolean; rocket: boolean }

function rustDockerfile({ name, build, port: own, openssl, rocket }: RustApp, choices: Choices): string {
  const { secrets } = choices
  const port = choices.port ?? own
  const caches = [
    { id: 'cargo', target: '/usr/local/cargo/registry' },
    { id: 'cargo-target', target: '/src/target' },
  ]
  const kept = `mkdir -p /out && cp target/release/${name} /out/app`
  return lines(
    `FROM rust:1-${openssl ? '' : 'slim-'}bookworm AS build`,
    workdir('/src'),
    'COPY . .',
    choices.installCommand !== undefined && run(choices.installCommand, { caches, secrets }),
    run(`${choices.buildCommand ?? build} && ${kept}`, { caches, secrets }),
    '',
    'FROM debian:bookworm-slim',
    openssl &&
      run(
        'apt-get update && apt-get install -y --no-install-recommends libssl3 ca-certificates && rm -rf /var/lib/apt/lists/*',
      ),
    !openssl && copy(['/etc/ssl/certs/'], '/etc/ssl/certs/', { from: 'build' }),
    copy(['/out/app'], '/app', { from: 'build' }),
    env({ PORT: port, HOST: '0.0.0.0', ...(rocket && { ROCKET_ADDRESS: '0.0.0.0', ROCKET_PORT: port }) }),
    'USER 1000',
    `EXPOSE ${port}`,
    openPort(port),
    cmd(choices.startCommand ?? '/app'),
  )
}
