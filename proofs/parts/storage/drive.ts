import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Answer, Task } from './worker.ts'

const worker = fileURLToPath(new URL('./worker.ts', import.meta.url))
const DEADLINE_MS = 900_000

export type Driven = { child: ChildProcess; answer: Promise<Answer> }

/** Starts a process for one task; it is given the place on its input, because a command line is seen by everyone. */
export function drive(task: Task): Driven {
  const child = spawn(process.execPath, [worker], { stdio: ['pipe', 'pipe', 'pipe'] })
  child.stdin.on('error', () => {}).end(JSON.stringify(task))
  const said = { out: '', err: '' }
  child.stdout.on('data', (chunk) => {
    said.out += chunk
  })
  child.stderr.on('data', (chunk) => {
    said.err += chunk
  })
  const late = setTimeout(() => child.kill('SIGKILL'), DEADLINE_MS)
  const answer = new Promise<Answer>((resolve, reject) => {
    child.once('close', (code, signal) => {
      clearTimeout(late)
      if (code === 0) resolve(JSON.parse(said.out))
      else reject(new Error(`${task.verb} at ${task.place.kind} ended with ${signal ?? code}: ${lastWords(said.err)}`))
    })
  })
  answer.catch(() => {})
  return { child, answer }
}

const lastWords = (text: string) => /\w*(?:Failure|Error): .*/.exec(text)?.[0] ?? text.trim().slice(-300)
