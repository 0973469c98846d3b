import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { until } from '../test-kit/until.ts'

/** Lets one process at a time do `work`; a lock whose owner died is taken over. */
export async function withLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  mkdirSync(dirname(file), { recursive: true })
  let told = false
  await until(`waiting for ${file}`, 300_000, () => {
    if (take(file)) return true
    const [pid] = owner(file).split(' ')
    // Two parts of one bin/lab may want the same; that is nobody's news.
    if (!told && pid && pid !== String(process.pid))
      process.stderr.write(`waiting for another bin/lab (process ${pid})\n`)
    told ||= pid !== String(process.pid)
    return undefined
  })
  try {
    return await work()
  } finally {
    rmSync(file, { force: true })
  }
}

function take(file: string): boolean {
  try {
    const fd = openSync(file, 'wx')
    writeSync(fd, `${process.pid} ${startTime(process.pid)}`)
    closeSync(fd)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  // The start time tells a living owner from a stranger that got the same process id later.
  const [pid, started] = owner(file).split(' ')
  if (pid && started && startTime(Number(pid)) !== started) rmSync(file, { force: true })
  return false
}

function owner(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function startTime(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')')).split(' ')[20] ?? ''
  } catch {
    return ''
  }
}
