import { readdirSync, readFileSync } from 'node:fs'
import type { Vps } from '../../../lab/vps/boot.ts'

/** Of what runs on a machine, shared parts counted once (PSS): all of it, and the platform's own process. */
export function memoryOf(vps: Vps): { platformMb: number; serverMb: number } {
  const proc = vps.path('/proc')
  const all = readdirSync(proc)
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({ mb: pssOf(`${proc}/${pid}/smaps_rollup`), command: read(`${proc}/${pid}/cmdline`) }))
  const server = all.filter(({ command }) => command.includes('server/main.mjs'))
  const large = all.filter(({ mb }) => mb >= LARGE_MB).sort((a, b) => b.mb - a.mb)
  console.log(`  MB by process: ${large.map(({ mb, command }) => `${Math.round(mb)} ${nameOf(command)}`).join(', ')}`)
  const sum = (some: { mb: number }[]) => Math.round(some.reduce((total, { mb }) => total + mb, 0))
  return { platformMb: sum(all), serverMb: sum(server) }
}

const LARGE_MB = 5
const nameOf = (command: string) => command.split('\0', 1)[0]?.split('/').at(-1) ?? ''

const pssOf = (file: string) => Number(/^Pss:\s+(\d+)/m.exec(read(file))?.[1] ?? 0) / 1024

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return '' // it has ended meanwhile
  }
}
