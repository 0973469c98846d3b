import { readdirSync, readFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'

/** Processor time, and time in line for a processor, in milliseconds. */
type Thread = { cpuMs: number; waitedMs: number }
export type Threads = { page: Thread; worker: Thread }

/** What the threads of all pages have used so far: those that draw, and those that hold logs. */
export async function threadsOf(browser: Browser): Promise<Threads> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  const sums: Threads = { page: { cpuMs: 0, waitedMs: 0 }, worker: { cpuMs: 0, waitedMs: 0 } }
  for (const { id } of processInfo.filter(({ type }) => type === 'renderer'))
    for (const task of tasksOf(id)) {
      const sum = task.isMain ? sums.page : task.isWorker ? sums.worker : undefined
      if (!sum) continue
      sum.cpuMs += task.cpuMs
      sum.waitedMs += task.waitedMs
    }
  return sums
}

/** A thread may end while it is looked at. */
function tasksOf(pid: number) {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) => {
    try {
      const place = `/proc/${pid}/task/${task}`
      const [cpu = 0, waited = 0] = readFileSync(`${place}/schedstat`, 'utf8').split(' ').map(Number)
      const isWorker = /Worker/.test(readFileSync(`${place}/comm`, 'utf8'))
      return [{ isMain: Number(task) === pid, isWorker, cpuMs: cpu / 1e6, waitedMs: waited / 1e6 }]
    } catch {
      return []
    }
  })
}

/** The longer of both threads, which go side by side. */
export function usedBetween(before: Threads, after: Threads): Thread {
  const used = (['page', 'worker'] as const).map((name) => ({
    cpuMs: after[name].cpuMs - before[name].cpuMs,
    waitedMs: after[name].waitedMs - before[name].waitedMs,
  }))
  return {
    cpuMs: Math.max(...used.map(({ cpuMs }) => cpuMs)),
    waitedMs: Math.max(...used.map(({ waitedMs }) => waitedMs)),
  }
}
