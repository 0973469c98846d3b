import type Docker from 'dockerode'
import type { TaskAnswer } from '../../engine/answers.ts'
import { streamEngine } from '../../engine/ask.ts'
import { type LogLine, logLines } from './log-lines.ts'

/** The end of a task's log, oldest first; nothing where it cannot be had in time. */
export async function lastLines(
  docker: Docker,
  task: Pick<TaskAnswer, 'ID' | 'Spec'>,
  signal: AbortSignal,
  most = 20,
): Promise<string[]> {
  const lines: LogLine[] = []
  try {
    const query = { stdout: true, stderr: true, timestamps: true, details: true, tail: most }
    const stream = await streamEngine(docker, { path: `/tasks/${task.ID}/logs`, query }, signal)
    const stop = () => stream.destroy()
    signal.addEventListener('abort', stop)
    try {
      const tty = task.Spec.ContainerSpec?.TTY === true
      for await (const line of logLines(stream, tty)) lines.push(line)
    } finally {
      signal.removeEventListener('abort', stop)
      stream.destroy()
    }
  } catch {
    // What has arrived is better than nothing.
  }
  return errorsLast(lines.slice(-most)).map(({ line }) => line)
}

const TOGETHER_MS = 1000

/**
 * The engine reads a program's two outputs side by side, so what was printed last may come in any order. In the last
 * moment of a task, what it complained about is put last.
 */
function errorsLast(lines: LogLine[]): LogLine[] {
  const end = Math.max(...lines.map(({ at }) => Date.parse(at)))
  const isLast = ({ at }: LogLine) => Date.parse(at) >= end - TOGETHER_MS
  const last = lines.filter(isLast).toSorted((a, b) => Number(a.stream === 'stderr') - Number(b.stream === 'stderr'))
  return [...lines.filter((line) => !isLast(line)), ...last]
}
