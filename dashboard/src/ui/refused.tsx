import { CircleX } from 'lucide-react'
import { wordsOf } from '../api/client.ts'
import { Button } from './button.tsx'

type Props = { error: unknown; className?: string; onRetry?: () => void }

/** A "no" where it was asked for: the server's own sentence, what to do, and the id that finds it in the log. */
export function Refused({ error, className = '', onRetry }: Props) {
  if (!error) return null
  const { sentence, hint, requestId } = wordsOf(error)
  return (
    <div role="alert" className={`flex gap-2.5 rounded-lg bg-bad-tint p-3 text-bad ${className}`}>
      <CircleX size={16} className="mt-0.5 shrink-0" aria-hidden />
      <div className="min-w-0 text-pretty">
        <p className="font-medium">{sentence}</p>
        {hint && <p className="mt-0.5">{hint}</p>}
        {requestId && <p className="mt-1 font-mono text-2xs break-all">request {requestId}</p>}
        {onRetry && (
          <Button size="sm" className="mt-2" onClick={onRetry}>
            Try again
          </Button>
        )}
      </div>
    </div>
  )
}
