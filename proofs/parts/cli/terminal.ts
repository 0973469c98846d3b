import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { plainEnvironment } from '../../../test-kit/server-process.ts'
import type { Check } from './checks.ts'
import { CLI, type Machine } from './run-cli.ts'

/** A program with a terminal of its own, from Debian's Python: its arguments are a list, and somebody types. */
const TERMINAL = `
import os, pty, sys
typed = sys.argv[1].encode()
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
seen = b""
while True:
    try:
        chunk = os.read(fd, 65536)
    except OSError:
        break
    if not chunk:
        break
    seen += chunk
    if typed and b"[y/N]" in seen:
        os.write(fd, typed)
        typed = b""
sys.stdout.buffer.write(seen)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`

export async function onTerminal(machine: Machine, argv: string[], typed = '') {
  const child = spawn('/usr/bin/python3', ['-', typed, process.execPath, CLI, ...argv], {
    cwd: machine.home,
    env: { ...plainEnvironment(), HOME: machine.home, TERM: 'xterm-256color', ...machine.env },
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: 120_000,
  })
  child.stdin.end(TERMINAL)
  const ended = new Promise<number | null>((done) => child.once('close', done))
  return { out: await text(child.stdout), code: await ended }
}

/** What terminals obey, which only a terminal may get. */
const hasColours = (shown: string) => shown.includes('\x1b[')

/** On a terminal there are colours and questions; what is asked is done when it was answered, and only then. */
export async function terminal(check: Check, machine: Machine): Promise<string> {
  const refused = await onTerminal({ ...machine, env: { ...machine.env, SLIPWAY_TOKEN: 'slp_wrong' } }, ['whoami'])
  check('a refusal on a terminal is painted, exit code 3', refused.code === 3 && hasColours(refused.out))
  const plain = await onTerminal({ ...machine, env: { ...machine.env, NO_COLOR: '1' } }, ['projects', 'ls'])
  check('NO_COLOR is heeded', plain.code === 0 && !hasColours(plain.out))
  await onTerminal(machine, ['projects', 'create', 'doomed'])
  const no = await onTerminal(machine, ['projects', 'rm', 'doomed'], 'n\r')
  check('no to a question: nothing is done, exit code 130', no.code === 130 && no.out.includes('Nothing was done.'))
  const yes = await onTerminal(machine, ['projects', 'rm', 'doomed'], 'y\r')
  check('yes to a question: it is done, exit code 0', yes.code === 0 && yes.out.includes('doomed is deleted'))
  return 'questions and colours on a terminal, none off it'
}
