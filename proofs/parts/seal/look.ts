import { createReadStream, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../../../lab/run.ts'
import { tool, toolEnv } from '../../../lab/tools.ts'
import type { Site } from '../../../test-kit/site.ts'
import { foundIn } from './secrets.ts'

/** All that a thief could take: the database, what was logged, what was answered, the data directory. */
export async function everything(site: Pick<Site, 'databaseUrl' | 'dataDir'>, logFile: string, answers: string[]) {
  const dump = await run([tool('pg_dump'), '--inserts', '--no-owner', site.databaseUrl], { env: toolEnv() })
  const plain = await run([tool('pg_dump'), '--no-owner', site.databaseUrl], { env: toolEnv() })
  return {
    dump: Buffer.from(`${dump}\n${plain}`),
    logs: readFileSync(logFile),
    answers: Buffer.from(answers.join('\n')),
    files: await filesBelow(site.dataDir),
  }
}

async function filesBelow(folder: string): Promise<Buffer> {
  const chunks: Buffer[] = []
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    for await (const chunk of createReadStream(join(entry.parentPath, entry.name))) chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}

/** Where secrets were found; and whether something that is no secret was found where it must be. */
export function leaks(all: Record<string, Buffer>, secrets: string[], control: string): string[] {
  const found = Object.entries(all).flatMap(([where, text]) =>
    foundIn(text, secrets).map((secret) => `${where} show ${secret.slice(0, 6)}…`),
  )
  for (const where of ['dump', 'logs', 'answers']) {
    if (foundIn(all[where] ?? Buffer.alloc(0), [control]).length === 0) found.push(`${where} were not really looked at`)
  }
  return found
}

/** Every form of a secret must be found in a text that has it, or finding none means nothing. */
export function blindTo(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const around = (shift: number) => Buffer.concat([Buffer.from('abc'.slice(0, shift)), bytes, Buffer.from('tail')])
  const hidden: Record<string, string> = {
    plain: `x${secret}y`,
    json: JSON.stringify({ a: `b${secret}c` }),
    url: `?q=${encodeURIComponent(secret)}&r`,
    hex: `\\x00${bytes.toString('hex')}00`,
    ...Object.fromEntries([0, 1, 2].map((shift) => [`base64 at ${shift}`, around(shift).toString('base64')])),
    ...Object.fromEntries([0, 1, 2].map((shift) => [`base64url at ${shift}`, around(shift).toString('base64url')])),
  }
  return Object.entries(hidden).flatMap(([form, text]) =>
    foundIn(Buffer.from(text), [secret]).length === 0 ? [`a secret in the form ${form} would not be found`] : [],
  )
}
