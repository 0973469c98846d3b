import { useNow } from '../ui/time.tsx'
import type { Log, Shown } from './open-log.ts'
import { useConnection, useLog } from './use-log.ts'

export function LogFoot({ log }: { log: Log }) {
  const connection = useConnection(log)
  const lines = useLog(log, (state) => state.lines)
  const size = useLog(log, (state) => state.size)
  const letGo = useLog(log, (state) => state.letGo)
  return (
    <div className="flex flex-wrap items-center gap-x-3 border-t border-line px-3 py-1.5 text-xs">
      <ConnectionNote connection={connection} />
      <span className="ml-auto text-faint num">
        {letGo > 0 && `${letGo.toLocaleString('en')} older ones only in the download · `}
        {size !== lines && `${size.toLocaleString('en')} of `}
        {lines.toLocaleString('en')} {lines === 1 ? 'line' : 'lines'}
      </span>
    </div>
  )
}

/** How the log is being read. A broken line is said, with when it is tried again; nothing is called live that is not. */
function ConnectionNote({ connection }: { connection: Shown }) {
  if (connection.state === 'lost') return <Lost again={connection.again} />
  if (connection.state === 'refused')
    return <Note mark="bg-bad-mark">{connection.status === 401 ? 'Signed out' : 'Not available'}</Note>
  const [mark, said] = NOTES[connection.state]
  return <Note mark={mark}>{said}</Note>
}

const NOTES = {
  connecting: ['bg-idle-mark under-way', 'Connecting'],
  reading: ['bg-run-mark under-way', 'Reading'],
  live: ['bg-ok-mark under-way', 'Live'],
  held: ['bg-idle-mark', 'Paused while nobody looked'],
  ended: ['bg-idle-mark', 'Complete'],
} as const

function Lost({ again }: { again: number }) {
  const seconds = Math.max(0, Math.ceil((again - useNow()) / 1000))
  return <Note mark="bg-ask-mark under-way">Connection lost, again in {seconds} s</Note>
}

function Note({ mark, children }: { mark: string; children: React.ReactNode }) {
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap text-soft num">
      <span aria-hidden className={`size-1.5 rounded-full ${mark}`} />
      {children}
    </span>
  )
}
