import type { Look } from './look.ts'

/** The line `web: …` of a Procfile: what other platforms start as well. */
export async function procfileStart(look: Look): Promise<{ command: string; because: string } | null> {
  const command = /^web:[ \t]*(\S[^\r\n]*)$/m.exec((await look.text('Procfile')) ?? '')?.[1]?.trim()
  return command === undefined ? null : { command, because: `its Procfile starts ${command}` }
}
