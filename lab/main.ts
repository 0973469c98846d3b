import { join } from 'node:path'
import { down } from './down.ts'
import { environment, exportLines } from './env.ts'
import { withLock } from './lock.ts'
import { labDir } from './paths.ts'
import { restart } from './restart.ts'
import { readLab } from './state.ts'
import { statusTable } from './status.ts'
import { up } from './up.ts'

const usage = `bin/lab up [packages|postgres|images|engine|hosts|registry|acme|s3|sftp|githost]…   start the parts (all, if none is named)
bin/lab restart postgres|engine|host1|host2                                 restart one, keeping its data
bin/lab down                                                                stop everything and leave the machine as it was
bin/lab status                                                              what runs, and where
bin/lab env                                                                 addresses as "export NAME=value" lines
`

const commands: Record<string, (args: string[]) => Promise<void> | void> = {
  up: (parts) => alone(() => up(parts)),
  down: () => alone(down),
  restart: (parts) => alone(() => restart(parts)),
  status: () => print(statusTable()),
  env: () => print(exportLines(environment(readLab()))),
  help: () => print(usage),
}

const [name = 'help', ...args] = process.argv.slice(2)
const command = commands[name]
if (!command) {
  process.stderr.write(`bin/lab: there is no command "${name}".\n\n${usage}`)
  process.exit(2)
}
try {
  await command(args)
} catch (error) {
  process.stderr.write(`bin/lab ${name}: ${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}

/** Changing the lab needs root, and one at a time. */
async function alone(work: () => Promise<void>): Promise<void> {
  if (process.getuid?.() !== 0) throw new Error('must run as root: it makes namespaces, links and control groups')
  await withLock(join(labDir, 'lock'), work)
}

function print(text: string): void {
  process.stdout.write(text)
}
