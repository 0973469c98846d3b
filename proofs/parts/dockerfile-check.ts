import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { detect } from '../../server/src/source/build/detect.ts'
import { dockerfileOf, type Found } from '../../server/src/source/build/detection.ts'
import { type Runnable, treeOf } from '../../test-kit/examples.ts'

const DEADLINE_MS = 120_000

/**
 * Hands a generated Dockerfile to BuildKit with busybox in place of images that the lab does not have. All of it is
 * parsed and its first files are copied; what ends the build must be a command that busybox lacks, and nothing before.
 */
export async function acceptedByBuildKit(
  { socket, buildx }: { socket: string; buildx: string },
  { name, files, test }: Runnable,
): Promise<string[]> {
  const text = await textOf(files, test.rootDirectory ?? undefined)
  if (text === null) return [`${name}: there is no Dockerfile to check`]
  const folder = mkdtempSync(join(tmpdir(), 'slipway-check-'))
  try {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, 'context', path)), { recursive: true })
      writeFileSync(join(folder, 'context', path), content)
    }
    writeFileSync(join(folder, 'Dockerfile'), text)
    const context = join(folder, 'context', test.rootDirectory ?? '')
    const said = await build(buildx, socket, ['--file', join(folder, 'Dockerfile'), ...standIns(text), '--', context])
    const reached = said.code === 0 || /process "\/bin\/sh -c .*" did not complete successfully/.test(said.text)
    return reached
      ? []
      : [`${name}: BuildKit refuses the Dockerfile: ${said.text.trim().split('\n').slice(-3).join(' ')}`]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function textOf(files: Record<string, string>, folder: string | undefined): Promise<string | null> {
  const { services, ...found } = await detect(treeOf(files), { folder })
  return dockerfileOf(found as Found)
}

/** Base images are what follows FROM; names of stages are among them and are left alone. */
function standIns(text: string): string[] {
  const images = [...text.matchAll(/^FROM (\S+)/gm)].map(([, image = '']) => image)
  const missing = [...new Set(images)].filter((image) => !/^(?:node:24|caddy:2|busybox:1)/.test(image))
  return missing.flatMap((image) => ['--build-context', `${image}=docker-image://busybox:1`])
}

function build(buildx: string, socket: string, args: string[]): Promise<{ code: number | null; text: string }> {
  const child = spawn(buildx, ['build', '--progress=plain', '--no-cache', ...args], {
    env: { PATH: process.env.PATH, DOCKER_HOST: `unix://${socket}`, HOME: tmpdir() },
    stdio: ['ignore', 'ignore', 'pipe'],
    signal: AbortSignal.timeout(DEADLINE_MS),
  })
  let text = ''
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  return new Promise((done, fail) => {
    child.once('error', fail)
    child.once('close', (code) => done({ code, text }))
  })
}
