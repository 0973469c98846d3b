import { readdirSync, readFileSync } from 'node:fs'

// Processes of this machine as its kernel shows them; only Linux does, so tests that look here run nowhere else (kinds.ts).

export const pids = () => readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))

/** A file of a process; empty when the process is gone. */
export function fileOfProcess(pid: number, file: 'cmdline' | 'environ'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

/** Processes with exactly these words, those inside the lab's engines included: one machine shows them all. */
export const processesCalled = (...argv: string[]) =>
  pids().filter((pid) => fileOfProcess(pid, 'cmdline') === `${argv.join('\0')}\0`)

/** Our own children whose program has this name. */
export function childrenCalled(program: string): { cmdline: string; environ: string }[] {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').split(' ').map(Number)
  return pids()
    .filter((pid) => children.includes(pid) && fileOfProcess(pid, 'cmdline').split('\0')[0]?.endsWith(`/${program}`))
    .map((pid) => ({ cmdline: fileOfProcess(pid, 'cmdline'), environ: fileOfProcess(pid, 'environ') }))
}
