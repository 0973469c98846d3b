import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** An image that is on the engine and nowhere else: the operator's own. */
export async function makeOperatorImage(folder: string, marker: string, build: (...argv: string[]) => Promise<string>) {
  const context = join(folder, 'operator')
  mkdirSync(context)
  writeFileSync(join(context, 'secret'), `${marker}\n`)
  writeFileSync(join(context, 'Dockerfile'), 'FROM busybox:1\nCOPY secret /secret\nCMD cat /secret; sleep 900\n')
  const tag = 'operator/tools:1'
  await build('build', '--tag', tag, context)
  return tag
}
