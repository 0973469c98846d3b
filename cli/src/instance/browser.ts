import { spawn } from 'node:child_process'

type Env = NodeJS.ProcessEnv

const OPENERS: Partial<Record<NodeJS.Platform, string[]>> = { darwin: ['open'], win32: ['explorer.exe'] }

/** Only what is a web address is handed on, as one argument. Whether a program for it was started. */
export function openInBrowser(url: string, env: Env): Promise<boolean> {
  const parsed = URL.parse(url)
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return Promise.resolve(false)
  const [program = '', ...args] = OPENERS[process.platform] ?? ['xdg-open']
  return new Promise((done) => {
    const child = spawn(program, [...args, parsed.href], { stdio: 'ignore', detached: true, env })
    child.once('error', () => done(false))
    child.once('spawn', () => {
      child.unref()
      done(true)
    })
  })
}

/** Whether somebody who sits here sees a browser of this machine. */
export function hasBrowser(env: Env): boolean {
  if (env.SSH_CONNECTION || env.SSH_TTY) return false
  return process.platform in OPENERS || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY)
}
