import { createHash } from 'node:crypto'
import { createReadStream, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './run.ts'

export interface Image {
  tags: string[]
  /** Folders beside the archive, lowest first. */
  layers: string[]
  env: string[]
  cmd: string[]
  workdir?: string
  /** What else its containers are made with, in the words of the format. */
  config?: Record<string, unknown>
}

/** Writes `images.tar` in `dir`, in the format of `docker save`: no registry and no engine are needed for it. */
export async function writeArchive(dir: string, images: Image[]): Promise<void> {
  const names = [...new Set(images.flatMap((image) => image.layers))]
  const packed = await Promise.all(names.map(async (name) => [name, await packLayer(dir, name)] as const))
  const digests = new Map(packed)
  const manifest = images.map((image, index) => {
    writeFileSync(join(dir, `${index}.json`), JSON.stringify(configOf(image, digests)))
    return { Config: `${index}.json`, RepoTags: image.tags, Layers: image.layers.map((name) => `${name}.tar`) }
  })
  writeFileSync(join(dir, 'manifest.json'), JSON.stringify(manifest))
  const files = ['manifest.json', ...images.map((_, index) => `${index}.json`), ...names.map((name) => `${name}.tar`)]
  await run(['tar', '-C', dir, '-cf', join(dir, 'images.tar'), ...files])
}

/** Same files, same bytes: the layer's digest, and with it the image's id, is the same on every engine. */
async function packLayer(dir: string, name: string): Promise<string> {
  const file = join(dir, `${name}.tar`)
  const stable = ['--sort=name', '--mtime=@0', '--numeric-owner', '--format=gnu']
  await run(['tar', '-C', join(dir, name), ...stable, '-cf', file, '.'])
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk)
  return `sha256:${hash.digest('hex')}`
}

const BASE = { Labels: { 'slipway.lab': 'base' } }

function configOf({ layers, env, cmd, workdir = '/', config = BASE }: Image, digests: Map<string, string>) {
  const created = '1970-01-01T00:00:00Z'
  return {
    architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
    os: 'linux',
    created,
    config: { Env: env, Cmd: cmd, WorkingDir: workdir, ...config },
    rootfs: { type: 'layers', diff_ids: layers.map((name) => digests.get(name)) },
    history: layers.map((name) => ({ created, created_by: `slipway: ${name}` })),
  }
}
