import { type ReactNode, type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { LogFoot } from './log-foot.tsx'
import { LogRows } from './log-rows.tsx'
import { LogSearch } from './log-search.tsx'
import { LogTools } from './log-tools.tsx'
import type { Log, Shown } from './open-log.ts'
import { useCopyLines } from './use-copy-lines.ts'
import { useFollow } from './use-follow.ts'
import { useLineLink } from './use-line-link.ts'
import { useConnection, useLog } from './use-log.ts'
import { useLogKeys } from './use-log-keys.ts'
import { useSignedOut } from './use-signed-out.ts'
import { useTyped } from './use-typed.ts'
import { useWays } from './use-ways.ts'
import type { Steps } from './worker/log-book.ts'

export type LogLook = { find?: string | undefined; only?: '1' | undefined; line?: number | undefined }

type Props = {
  log: Log
  /** Must stay the same object while it is the same filter. */
  steps: Steps | null
  service: string | null
  look: LogLook
  isNumbered: boolean
  hasServices: boolean
  /** Begins at the end, and stays there. */
  follow: boolean
  textUrl: string
  /** Instead of lines, where it has ended without one. */
  ended?: ReactNode
  onLook(look: LogLook): void
}

export function LogView(props: Props) {
  const { log, steps, service, look, isNumbered, hasServices, follow, textUrl, ended, onLook } = props
  const box = useRef<HTMLDivElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const line = look.line ?? null
  const only = look.only === '1'
  const [hasTimes, setTimes] = useState(false)
  const say = useCallback((text: string) => onLook({ find: text || undefined }), [onLook])
  const link = useCallback((seq: number) => onLook({ line: seq }), [onLook])
  const [find, setFind] = useTyped(look.find ?? '', say)
  const { isFollowing, setFollowing, goTo } = useFollow(box, log, follow && line === null)
  const { at, goToMatch, goToNext, forget } = useWays({ log, box, goTo, link: isNumbered ? link : null })
  useEffect(() => {
    log.want({ steps, service, find, only })
    forget()
  }, [log, steps, service, find, only, forget])
  useLineLink(log, line, goTo)
  useCopyLines(box, log, () => setFollowing(false))
  useSignedOut(log)
  useLogKeys({
    find: () => input.current?.focus(),
    match: goToMatch,
    error: () => goToNext('error'),
    end: () => setFollowing(true),
  })
  const times = isNumbered && { times: { shown: hasTimes, onToggle: () => setTimes(!hasTimes) } }
  const onOnly = (now: boolean) => onLook({ only: now ? '1' : undefined })
  const onLeave = () => box.current?.focus({ preventScroll: true })
  const rows = { line, here: at.place, isNumbered, hasTimes, hasServices, isFollowing }
  return (
    <section aria-label="Log" className="flex min-h-0 flex-1 flex-col">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1.5 border-b border-line p-2">
        <LogSearch {...{ log, input, find, only, at: at.n, onFind: setFind, onOnly, onStep: goToMatch, onLeave }} />
        <LogTools {...{ log, isFollowing, ...times, textUrl, onNext: goToNext, onFollow: setFollowing }} />
      </div>
      <Box log={log} box={box} ended={ended}>
        <LogRows log={log} box={box} {...rows} onLink={link} />
      </Box>
      <LogFoot log={log} />
    </section>
  )
}

type BoxProps = { log: Log; box: RefObject<HTMLDivElement | null>; ended: ReactNode; children: ReactNode }

/** Silent to those who listen: a region of the page tells them of steps and ends. */
function Box({ log, box, ended, children }: BoxProps) {
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={box}
        role="log"
        aria-live="off"
        aria-label="Lines"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
        tabIndex={0}
        className="thin-scroll absolute inset-0 overflow-auto bg-sunken font-mono text-xs outline-offset-[-2px] contain-strict [overflow-anchor:none]"
      >
        {children}
      </div>
      <Nothing log={log} ended={ended} />
    </div>
  )
}

function Nothing({ log, ended = 'Nothing was printed.' }: { log: Log; ended: ReactNode }) {
  const isEmpty = useLog(log, (state) => state.size === 0 && !state.isSearching)
  const isNarrowed = useLog(log, (state) => state.lines > 0)
  const connection = useConnection(log)
  if (!isEmpty || connection.state === 'reading' || connection.state === 'connecting') return null
  const said = connection.state === 'ended' ? ended : emptyInWords(connection)
  return (
    <div className="pointer-events-none absolute inset-0 grid place-items-center px-4 text-center text-soft">
      <p className="text-pretty [&_a]:pointer-events-auto">{isNarrowed ? 'No line fits this filter.' : said}</p>
    </div>
  )
}

function emptyInWords(connection: Shown): string {
  if (connection.state === 'refused') return connection.sentence ?? 'This log cannot be read.'
  return 'Nothing has been printed yet.'
}
