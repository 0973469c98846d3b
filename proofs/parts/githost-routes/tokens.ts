import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { watchProcesses } from '../process-list.ts'
import { blindTo, everything, leaks } from '../seal/look.ts'
import { accountToken, ghToken } from './conditions.ts'
import type { Stage, Tenant } from './stage.ts'

/** Tokens of the host, whichever they are: installation, account, person, refresh. */
const TOKEN = /gh[opsru]_[A-Za-z0-9][A-Za-z0-9_.-]{15,}/

/** Looks at all processes until `judge` is called, which then looks everywhere else. */
export function watchTokens(stage: Stage, tenants: Record<'app' | 'oauth', Tenant>) {
  const secrets = new Set<string>([stage.app.clientSecret, stage.oauth.clientSecret])
  const seenProcesses = watchProcesses()
  // Somebody careless: whoever looks at the processes must see this one.
  const planted = `ghp_${randomBytes(18).toString('hex')}`
  const careless = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)', planted], { stdio: 'ignore' })
  return {
    secrets,
    /** The tokens that are in use now. */
    note: async () => {
      secrets.add(ghToken(stage)).add(await accountToken(stage, tenants.oauth))
      const { token, command } = (await tenants.app.api('GET', '/api/githost/repos/acme/shop/clone-token')).body
      secrets.add(token)
      await clone(stage, command, token)
    },
    async judge(): Promise<{ faults: string[]; figure: string }> {
      careless.kill()
      const { all: lists, own, looks } = await seenProcesses()
      const known = [...secrets].filter((one) => one.length > 0)
      const { database, dir, logFile, answers } = stage
      const site = { databaseUrl: database.url, dataDir: join(dir, 'data') }
      const all = { ...(await everything(site, logFile, answers)), processes: withoutPlanted(own, planted) }
      const faults = [
        ...leaks({ ...all, 'all processes': lists }, known, 'acme/shop'),
        ...Object.entries(all).flatMap(([where, text]) => {
          const [found] = TOKEN.exec(text.toString('latin1')) ?? []
          return found ? [`${where}: a token of the host, ${found.slice(0, 8)}…`] : []
        }),
        ...known.flatMap(blindTo),
        ...(own.includes(planted) && lists.includes(planted) ? [] : ['the processes were not really looked at']),
      ]
      const bytes = Object.values(all).reduce((sum, one) => sum + one.length, 0)
      return {
        faults,
        figure: `${known.length} tokens and secrets, and whatever looks like one, 0 times in ${looks} looks at all processes and ${Math.round(bytes / 1e6)} MB of dump, logs, answers and files`,
      }
    },
  }
}

const withoutPlanted = (lists: Buffer, planted: string) => Buffer.from(lists.toString('latin1').replaceAll(planted, ''))

/** The command that the API answers with, in a terminal; the token is typed. */
async function clone({ host, check }: Stage, command: string, token: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sw-clone-'))
  const env = { PATH: process.env.PATH, HOME: folder, GIT_SSL_CAINFO: host.caFile, GIT_TERMINAL_PROMPT: '0' }
  const shell = spawn('bash', ['-s'], { cwd: folder, env, stdio: ['pipe', 'ignore', 'ignore'] })
  shell.stdin.end(`${command}\n${token}\n`)
  const code = await new Promise((done) => shell.once('close', done))
  check('the command of a clone token clones', code, 0)
  check('and leaves it nowhere', readFileSync(join(folder, 'shop', '.git', 'config'), 'utf8').includes(token), false)
  rmSync(folder, { recursive: true, force: true })
}
