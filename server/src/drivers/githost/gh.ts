import { execFile } from 'node:child_process'
import type { Cli } from './githost.ts'

export type CliOptions = {
  program: string
  configDir: string | null
  host: string
  environment?: Record<string, string>
}

const DEADLINE_MS = 3000
const KEPT_MS = 60_000
const VERSION_MS = 10_000

/**
 * The login that the operator made with `gh`. `gh auth status` ends with 0 in newer versions although nobody is signed
 * in, so the token itself is asked for. It is never stored, and not in an argument.
 */
export function ghCli({ program, configDir, host, environment = {} }: CliOptions): Cli {
  let held: { token: string; until: number } | undefined
  let known: { version: string | null; until: number } | undefined
  const env = {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    HOME: process.env.HOME ?? '/nonexistent',
    ...(configDir !== null && { GH_CONFIG_DIR: configDir }),
    ...environment,
  }
  const run = (...args: string[]) =>
    new Promise<{ code: number | null; text: string }>((resolve) => {
      execFile(program, args, { env, timeout: DEADLINE_MS, maxBuffer: 100_000 }, (error, stdout) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null
        resolve({ code, text: stdout })
      })
    })
  return {
    async version() {
      if (known && known.until > Date.now()) return known.version
      const { code, text } = await run('--version')
      const version = code === 0 ? (/\d+\.\d+\.\d+/.exec(text)?.[0] ?? 'unknown') : null
      known = { version, until: Date.now() + VERSION_MS }
      return version
    },
    async token() {
      if (held && held.until > Date.now()) return held.token
      const { code, text } = await run('auth', 'token', '--hostname', host)
      const token = text.trim()
      held = code === 0 && /^[\x21-\x7e]+$/.test(token) ? { token, until: Date.now() + KEPT_MS } : undefined
      return held?.token ?? null
    },
  }
}
