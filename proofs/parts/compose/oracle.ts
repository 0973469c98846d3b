import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { labPart } from '../../../lab/ask.ts'
import type { Case } from './cases.ts'

export type Answer = { project: Record<string, unknown> } | { refused: string }

export const PROJECT = 'corpus'
/** Where `~` leads; nothing is there. */
export const HOME = '/nonexistent'
const DEADLINE_MS = 30_000

/** What the real compose says about a case, with the folder it was given written as `@`. */
export async function askCompose(given: Case): Promise<Answer> {
  const top = mkdtempSync(join(tmpdir(), 'slipway-compose-'))
  const root = join(top, 'source')
  try {
    mkdirSync(root)
    for (const [path, content] of given.files) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      if (typeof content === 'string') writeFileSync(join(root, path), content)
      else symlinkSync(content.link, join(root, path))
    }
    return await run(given, root)
  } finally {
    rmSync(top, { recursive: true, force: true })
  }
}

/** Only the case's own variables: compose reads those of its caller too. */
function run({ environment, compose = [], profiles = [] }: Case, root: string): Promise<Answer> {
  const { docker, dockerConfig } = labPart('engine')
  const argv = [
    'compose',
    ...['--project-name', PROJECT],
    ...compose.flatMap((file) => ['--file', file]),
    ...profiles.flatMap((profile) => ['--profile', profile]),
    ...['config', '--format', 'json'],
  ]
  const env = { HOME, PATH: '/usr/bin:/bin', DOCKER_CONFIG: dockerConfig, ...environment }
  return new Promise((settle) => {
    // Compose is a plug-in, a process of its own: ending docker alone would leave it running.
    const child = spawn(docker, argv, { cwd: root, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    const deadline = setTimeout(() => child.pid && process.kill(-child.pid, 'SIGKILL'), DEADLINE_MS)
    const output = Promise.all([text(child.stdout), text(child.stderr)])
    child.on('error', (error) => settle({ refused: error.message }))
    child.on('close', async (code) => {
      clearTimeout(deadline)
      const [stdout, stderr] = (await output).map((said) => said.replaceAll(root, '@'))
      // It doubles every dollar, so that its answer can be read as a compose file again.
      if (code === 0) settle({ project: JSON.parse((stdout ?? '').replaceAll('$$', '$')) })
      else settle({ refused: lastLine(stderr ?? '') })
    })
  })
}

const lastLine = (stderr: string) => stderr.trim().split('\n').at(-1) ?? ''
