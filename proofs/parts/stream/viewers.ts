import { type ChildProcess, fork } from 'node:child_process'
import { type Wander, type Wandered, Wanderers } from './wanderers.ts'
import { type Watch, type Watched, watch } from './watchers.ts'

/** The rows that were printed, as the last reader found them: from 0 on, and from 0 on again where a build began anew. */
export type Rows = { begun: number; last: number; inOrder: boolean }
type Command = { watch: Watch } | { wander: Wander } | { urls: string[] } | { askSofar: true }
type Told =
  | { connected: true }
  | { watched: Watched }
  | { sofar: Omit<Wandered, 'unfinished'> }
  | { wandered: Wandered; rows: Rows }
  | { error: string }

export type Viewers = {
  watch(wanted: Watch, onConnected: () => void): Promise<Watched>
  wander(wanted: Wander): Promise<{ wandered: Wandered; rows: Rows }>
  urls(urls: string[]): void
  sofar(): Promise<Omit<Wandered, 'unfinished'>>
  stop(): void
}

/** Viewers in a process of their own: they share no event loop with whoever is measured. */
export function startViewers(): Viewers {
  const child: ChildProcess = fork(import.meta.filename)
  process.once('exit', () => child.kill('SIGKILL'))
  const next = <T>(pick: (told: Told) => T | undefined): Promise<T> =>
    new Promise((done, fail) => {
      const hear = (told: Told) => {
        const found = pick(told)
        if ('error' in told) fail(new Error(told.error))
        if (found === undefined && !('error' in told)) return
        child.off('message', hear).off('exit', ended)
        if (found !== undefined) done(found)
      }
      const ended = (code: number | null) => fail(new Error(`the viewers ended with ${code}`))
      child.on('message', hear).once('exit', ended)
    })
  return {
    watch(wanted, onConnected) {
      next((told) => 'connected' in told || undefined).then(onConnected, () => {})
      const watched = next((told) => ('watched' in told ? told.watched : undefined))
      child.send({ watch: wanted } satisfies Command)
      return watched
    },
    wander(wanted) {
      const wandered = next((told) => ('wandered' in told ? told : undefined))
      child.send({ wander: wanted } satisfies Command)
      return wandered
    },
    urls: (urls) => child.send({ urls } satisfies Command),
    sofar() {
      const sofar = next((told) => ('sofar' in told ? told.sofar : undefined))
      child.send({ askSofar: true } satisfies Command)
      return sofar
    },
    stop: () => void child.kill('SIGKILL'),
  }
}

function listen(): void {
  const tell = (told: Told) => process.send?.(told)
  let wanderers: Wanderers | undefined
  const wander = async (wanted: Wander) => {
    wanderers = new Wanderers(wanted)
    const wandered = await wanderers.go()
    const rows: Rows = { begun: 0, last: -1, inOrder: true }
    const whole = await wanderers.reread((line) => {
      const found = /^row (\d+) /.exec(line)?.[1]
      if (found === undefined) return
      const row = Number(found)
      if (row === 0) rows.begun++
      else if (row !== rows.last + 1) rows.inOrder = false
      rows.last = row
    })
    const { different, misnumbered } = wanderers.sofar
    tell({ wandered: { ...wandered, different, misnumbered, unfinished: wandered.unfinished + (whole ? 0 : 1) }, rows })
  }
  process.on('message', (command: Command) => {
    const done = (async () => {
      if ('watch' in command) tell({ watched: await watch(command.watch, () => tell({ connected: true })) })
      else if ('wander' in command) await wander(command.wander)
      else if ('urls' in command && wanderers) wanderers.urls = command.urls
      else if (wanderers) tell({ sofar: wanderers.sofar })
    })()
    done.catch((error: Error) => tell({ error: error.message }))
  })
  process.once('disconnect', () => process.exit())
}

if (process.argv[1] === import.meta.filename) listen()
