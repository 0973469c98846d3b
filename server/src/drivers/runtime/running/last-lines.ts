import type Docker from 'dockerode'
import type { TaskAnswer } from '../answers.ts'
import { streamEngine } from '../ask.ts'
import { logLines } from './log-lines.ts'

/** The end of a task's log, oldest first; nothing where it cannot be had in time. */
export async function lastLines(docker: Docker, task: TaskAnswer, signal: AbortSignal, most = 20): Promise<string[]> {
  const lines: string[] = []
  try {
    const query = { stdout: true, stderr: true, timestamps: true, details: true, tail: most }
    const stream = await streamEngine(docker, { path: `/tasks/${task.ID}/logs`, query }, signal)
    const stop = () => stream.destroy()
    signal.addEventListener('abort', stop)
    try {
      const tty = task.Spec.ContainerSpec?.TTY === true
      for await (const { line } of logLines(stream, tty)) lines.push(line)
    } finally {
      signal.removeEventListener('abort', stop)
      stream.destroy()
    }
  } catch {
    // What has arrived is better than nothing.
  }
  return lines.slice(-most)
}
