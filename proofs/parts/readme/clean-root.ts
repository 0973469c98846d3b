import { execFile, execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { packageRoot } from '../../../lab/package-sets.ts'
import { needPackages } from '../../../lab/parts/packages.ts'
import { until } from '../../../test-kit/until.ts'

const AUTHORITIES = 'etc/ssl/certs/ca-certificates.crt'
const repository = join(import.meta.dirname, '../../..')
/** Where the commit that is proved can be cloned from, inside of the root. */
export const REPOSITORY = '/srv/slipway.git'

/** A Debian 12 as it comes, with nothing of this machine but its kernel, its network and a copy of the repository. */
export async function makeCleanRoot() {
  await needPackages('clean')
  const dir = mkdtempSync(join(tmpdir(), 'slipway-clean-'))
  const program = join(packageRoot('clean'), 'usr/bin/mmdebstrap')
  const options = ['--mode=root', '--variant=minbase', '--quiet', '--include=ca-certificates']
  await promisify(execFile)(program, [...options, 'bookworm', dir], { timeout: 600_000 })
  execFileSync('git', ['clone', '--quiet', '--bare', repository, join(dir, REPOSITORY)])
  mkdirSync(join(dir, 'before'), { recursive: true })
  // What this machine's network needs: who knows names, and authorities of its own that it may vouch with.
  for (const file of ['etc/resolv.conf', 'etc/hosts', AUTHORITIES])
    cpSync(`/${file}`, join(dir, file), { dereference: true })
  const machine = await enter(dir)
  return {
    shell: machine.shell,
    async remove() {
      await machine.end()
      rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 1_000 })
    },
  }
}

/** The root is changed, not only seen from inside: an engine that starts containers there needs a root that is a mount. */
const ENTER = join(import.meta.dirname, 'enter.sh')

/** One set of processes and mounts for all terminals; with the first process all of it ends. */
async function enter(dir: string) {
  const spaces = ['--mount', '--propagation=private', '--pid', '--fork', '--kill-child']
  const outer = spawn('unshare', [...spaces, '--', 'bash', ENTER, dir], { stdio: 'inherit' })
  const gone = new Promise((resolve) => outer.once('exit', resolve))
  const first = await until('the clean root comes up', 10_000, () => {
    const [pid] = readFileSync(`/proc/${outer.pid}/task/${outer.pid}/children`, 'utf8').split(' ')
    return pid && readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'sleep' ? pid : undefined
  })
  const path = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
  const variables = ['HOME=/root', path, 'TERM=dumb', `NODE_EXTRA_CA_CERTS=/${AUTHORITIES}`]
  const clean = ['env', '--ignore-environment', '--chdir=/root', ...variables, 'bash']
  const shell: [string, ...string[]] = ['nsenter', '--target', first, '--mount', '--pid', '--', ...clean]
  return {
    shell,
    async end() {
      outer.kill('SIGKILL')
      await gone
    },
  }
}
