import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Image, writeArchive } from '../image-archive.ts'
import { withLock } from '../lock.ts'
import { cacheDir } from '../paths.ts'
import { baseFiles, caddyFiles, caRoots, nodeFiles } from '../root-files.ts'
import { run } from '../run.ts'
import { record } from '../state.ts'
import { tool } from '../tools.ts'

const npmVersion = '11.19.1'
const path = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
const trust = [`SSL_CERT_FILE=${caRoots}`, `NODE_EXTRA_CA_CERTS=${caRoots}`]

/** Makes one archive of all base images, named as Dockerfiles name them; the engine only has to load it. */
export async function makeImages(): Promise<string> {
  record({ caddy: { program: tool('caddy'), image: 'caddy:2' } })
  const archive = imageArchive()
  if (existsSync(archive)) return archive
  return withLock(join(cacheDir, 'images.lock'), async () => {
    if (existsSync(archive)) return archive
    const work = `${archive}.part`
    rmSync(work, { recursive: true, force: true })
    await build(work)
    for (const old of readdirSync(join(cacheDir, 'images')).filter((file) => file.endsWith('.tar')))
      rmSync(join(cacheDir, 'images', old))
    renameSync(join(work, 'images.tar'), archive)
    rmSync(work, { recursive: true })
    return archive
  })
}

export function imageArchive(): string {
  return join(cacheDir, 'images', `${imageKey()}.tar`)
}

/** A tag that only engines with these very images have. */
export function imageMarker(): string {
  return `slipway-lab/images:${imageKey()}`
}

async function build(work: string): Promise<void> {
  const layer = (name: string) => join(work, name)
  for (const name of ['base', 'node', 'caddy']) mkdirSync(layer(name), { recursive: true })
  await Promise.all([
    baseFiles(layer('base')),
    npmPackage(work).then((npm) => nodeFiles(layer('node'), process.execPath, npm)),
    caddyFiles(layer('caddy'), tool('caddy')),
  ])
  await writeArchive(work, recipes())
}

function recipes(): Image[] {
  const node = { layers: ['base', 'node'], env: [path, ...trust, `NODE_VERSION=${process.versions.node}`] }
  const caddyEnv = [path, ...trust, 'XDG_CONFIG_HOME=/config', 'XDG_DATA_HOME=/data']
  const caddyRun = ['caddy', 'run', '--config', '/etc/caddy/Caddyfile', '--adapter', 'caddyfile']
  return [
    { tags: ['busybox:1', 'busybox:latest', imageMarker()], layers: ['base'], env: [path, ...trust], cmd: ['sh'] },
    { tags: ['node:24', 'node:24-slim', 'node:24-alpine'], ...node, cmd: ['node'] },
    { tags: ['caddy:2', 'caddy:2-alpine'], layers: ['base', 'caddy'], env: caddyEnv, cmd: caddyRun, workdir: '/srv' },
  ]
}

async function npmPackage(work: string): Promise<string> {
  const into = join(work, 'npm')
  mkdirSync(into, { recursive: true })
  const packed = await run(['npm', 'pack', `npm@${npmVersion}`, '--silent', `--pack-destination=${into}`], {
    cwd: work,
  })
  await run(['tar', '-xzf', join(into, packed.trim()), '--no-same-owner', '-C', into])
  return join(into, 'package')
}

let key: string | undefined

/** Changes with everything that goes into the images, and with the code that makes them. */
function imageKey(): string {
  key ??= makeKey()
  return key
}

function makeKey(): string {
  const hash = createHash('sha256')
  for (const source of ['parts/images.ts', 'root-files.ts', 'image-archive.ts'])
    hash.update(readFileSync(join(import.meta.dirname, '..', source)))
  hash.update(readFileSync(caRoots))
  for (const program of [process.execPath, tool('caddy'), tool('busybox')].map((file) => realpathSync(file)))
    hash.update(`${program} ${statSync(program).size} ${statSync(program).mtimeMs}`)
  return hash.digest('hex').slice(0, 12)
}
