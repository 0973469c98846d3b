import { type ChildProcess, spawn } from 'node:child_process'
import { until } from '../../../test-kit/until.ts'

export type Terminal = {
  /** Pastes the lines and answers with everything that was printed; what ends with another code than 0 is an error. */
  paste(lines: string, deadlineMs?: number): Promise<string>
  /** Types a command that does not end, and answers as soon as it has said the words. */
  leave(command: string, words: string, deadlineMs?: number): Promise<void>
}

/** A shell that stays open, as a person's does: what one block sets is there in the next. */
export function openTerminal(argv: [string, ...string[]], show: (text: string) => void): Terminal {
  const [program, ...args] = argv
  const shell = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  const heard = listen(shell, show)
  let pasted = 0
  const say = (text: string) => shell.stdin?.write(`${text}\n`)
  return {
    async paste(lines, deadlineMs = 60_000) {
      const mark = `--- done ${++pasted}: `
      const from = heard.text().length
      // Each command of the block must end well, also one in the middle of it.
      say(`failed=0; trap 'failed=$?' ERR\n${lines}\ntrap - ERR; echo; echo "${mark}$failed"`)
      const all = await heard.until(mark, deadlineMs, from)
      const [said = '', code = ''] = all.slice(from).split(mark)
      if (code.trim() !== '0')
        throw new Error(`"${lines.trim().split('\n').at(-1)}" ended with ${code.trim()}: ${said}`)
      return said
    },
    async leave(command, words, deadlineMs = 120_000) {
      const from = heard.text().length
      say(command)
      await heard.until(words, deadlineMs, from)
    },
  }
}

function listen(shell: ChildProcess, show: (text: string) => void) {
  let text = ''
  let ended = false
  for (const stream of [shell.stdout, shell.stderr]) {
    stream?.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
      show(piece)
    })
  }
  shell.once('exit', () => {
    ended = true
  })
  return {
    text: () => text,
    async until(words: string, deadlineMs: number, from: number): Promise<string> {
      const said = () => {
        const at = text.indexOf(words, from)
        if (at >= 0 && text.indexOf('\n', at) >= 0) return true
        if (ended) throw new Error('the shell ended')
        return false
      }
      await until(`it says "${words}"`, deadlineMs, said).catch((error: Error) => {
        throw new Error(`${error.message}: ${text.slice(-2000)}`)
      })
      return text
    },
  }
}
