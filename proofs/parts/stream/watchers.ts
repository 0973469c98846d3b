import { setTimeout as pause } from 'node:timers/promises'
import { openEvents } from './event-socket.ts'

export type Watch = { urls: string[]; token: string; id: string; viewers: number; atOnce: number; deadlineMs: number }
export type Watched = {
  viewers: number
  /** Viewers that were turned away or cut off, and numbers that were not the next ones. */
  refused: number
  cut: number
  faults: number
  lines: number
  /** From printed to received, in milliseconds. */
  p50: number
  p99: number
  max: number
  connectMs: number
  /** Share of one core that the viewers themselves took: near 1 they would measure themselves. */
  ownCpu: number
}

/** Milliseconds, one bucket each. */
const LONGEST = 60_000

/** Many viewers of one deployment, from before its first line to its end. `onConnected` when all of them are there. */
export async function watch(wanted: Watch, onConnected: () => void): Promise<Watched> {
  const tally = { refused: 0, cut: 0, faults: 0, lines: 0, open: 0, over: 0 }
  const times = new Uint32Array(LONGEST + 1)
  const began = performance.now()
  for (let n = 0; n < wanted.viewers; n++) {
    while (tally.open < n - wanted.atOnce) await pause(5)
    view(wanted, n, tally, times)
  }
  while (tally.open + tally.over < wanted.viewers && performance.now() - began < wanted.deadlineMs) await pause(20)
  const connectMs = performance.now() - began
  onConnected()
  const cpu = process.cpuUsage()
  const from = performance.now()
  while (tally.over < wanted.viewers && performance.now() - began < wanted.deadlineMs) await pause(50)
  const { user, system } = process.cpuUsage(cpu)
  const ownCpu = (user + system) / 1000 / (performance.now() - from)
  const at = (share: number) => quantile(times, tally.lines, share)
  const { refused, cut, faults, lines } = tally
  const late = wanted.viewers - tally.over
  const figures = { p50: at(0.5), p99: at(0.99), max: at(1), connectMs, ownCpu }
  return { viewers: wanted.viewers, refused, cut: cut + late, faults, lines, ...figures }
}

type Tally = { refused: number; cut: number; faults: number; lines: number; open: number; over: number }

function view({ urls, token, id }: Watch, n: number, tally: Tally, times: Uint32Array): void {
  const url = urls[n % urls.length] ?? ''
  let seen = 0
  let ended = false
  openEvents(
    { url, token, id, since: 0 },
    {
      event(seq, block) {
        if (seen === 0) tally.open++
        if (seq !== seen + 1) tally.faults++
        seen = seq
        const at = block.indexOf('row ') < 0 ? -1 : block.indexOf(' @')
        if (at >= 0) {
          const took = Date.now() - Number(block.slice(at + 2, at + 15))
          const bucket = Math.max(0, Math.min(LONGEST, took))
          times[bucket] = (times[bucket] ?? 0) + 1
          tally.lines++
        } else ended ||= block.includes('\nevent: end\n')
      },
      over(status) {
        tally.over++
        if (seen > 0) tally.open--
        if (status !== 200) tally.refused++
        else if (!ended) tally.cut++
      },
    },
  )
}

function quantile(times: Uint32Array, count: number, share: number): number {
  let sum = 0
  return times.findIndex((n) => {
    sum += n
    return n > 0 && sum >= share * count
  })
}
