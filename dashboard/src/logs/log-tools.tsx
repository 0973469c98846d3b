import { ArrowDownToLine, CircleX, Clock, Download, TriangleAlert } from 'lucide-react'
import { Button } from '../ui/button.tsx'
import type { Log } from './open-log.ts'
import { useLog } from './use-log.ts'
import type { Level } from './worker/level.ts'

type Props = {
  log: Log
  isFollowing: boolean
  /** Not said where times are always shown. */
  times?: { shown: boolean; onToggle(): void }
  textUrl: string
  onNext(level: Level): void
  onFollow(follow: boolean): void
}

export function LogTools({ log, isFollowing, times, textUrl, onNext, onFollow }: Props) {
  return (
    <div className="flex items-center gap-1 max-sm:w-full">
      <Jump log={log} level="error" onNext={onNext} />
      <Jump log={log} level="warn" onNext={onNext} />
      <span aria-hidden className="mx-1 h-4 w-px bg-line" />
      {times && (
        <Button
          look={times.shown ? 'plain' : 'quiet'}
          size="icon"
          aria-label="Show times"
          title="Show times"
          aria-pressed={times.shown}
          onClick={times.onToggle}
        >
          <Clock size={15} aria-hidden />
        </Button>
      )}
      <Button
        look="quiet"
        size="icon"
        aria-label="Download as text"
        title="Download as text"
        nativeButton={false}
        render={<a href={textUrl} download />}
      >
        <Download size={15} aria-hidden />
      </Button>
      <Button
        size="sm"
        look={isFollowing ? 'primary' : 'plain'}
        aria-pressed={isFollowing}
        onClick={() => onFollow(!isFollowing)}
        className="max-sm:ml-auto"
      >
        <ArrowDownToLine size={13} aria-hidden />
        {isFollowing ? 'Following' : 'Follow'}
      </Button>
    </div>
  )
}

const WORDS = { error: 'errors', warn: 'warnings', plain: 'lines' }

/** How many there are; pressed, it goes to the next. */
function Jump({ log, level, onNext }: { log: Log; level: Level; onNext(level: Level): void }) {
  const count = useLog(log, ({ errors, warnings }) => (level === 'error' ? errors : warnings))
  if (count === 0) return null
  const Sign = level === 'error' ? CircleX : TriangleAlert
  return (
    <Button
      look="quiet"
      size="sm"
      onClick={() => onNext(level)}
      aria-label={`${count} ${WORDS[level]}, go to the next`}
      title={`Next of ${count} ${WORDS[level]}`}
    >
      <span className={`inline-flex items-center gap-1.5 num ${level === 'error' ? 'text-bad' : 'text-ask'}`}>
        <Sign size={13} aria-hidden />
        {count.toLocaleString('en')}
      </span>
    </Button>
  )
}
