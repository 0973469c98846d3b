import { gitEnvironment } from './environment.ts'
import { runGit } from './run.ts'
import type { Settings } from './settings.ts'

/** A bare repository with nothing of the machine's templates in it, so without hooks. One that is there stays. */
export async function initRepository({ environment }: Settings, directory: string, signal: AbortSignal): Promise<void> {
  const args = ['init', '--quiet', '--bare', '--template=', '--initial-branch=none', '--', directory]
  const { code, stderr } = await runGit(args, gitEnvironment(environment), { signal, deadlineMs: 30_000 })
  if (code !== 0) throw new Error(`git could not make a repository: ${stderr.trim()}`)
}
