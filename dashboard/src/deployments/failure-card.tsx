import type { DeploymentError } from '@slipway/contract/deployment-shape'
import { CircleX, ListEnd } from 'lucide-react'
import type { Log } from '../logs/open-log.ts'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { stepTitle } from './words.ts'

const LINES_AROUND = 20
type Props = { error: DeploymentError; log: Log | null; onShow(line: number): void }

/** What went wrong and what to do: the API's own words, the same as everywhere. A red edge, not a red box. */
export function FailureCard({ error, log, onShow }: Props) {
  const { code, message, hint, logSeq } = error
  const { title, service } = stepTitle(error.step ?? '')
  const where = [title, service ?? error.service].filter(Boolean).join(' ')
  const copied = async () => {
    const lines = logSeq === null ? '' : await log?.text({ ask: 'around', seq: logSeq, count: LINES_AROUND })
    return [`${code}: ${message}`, hint, lines].filter(Boolean).join('\n\n')
  }
  return (
    <section
      aria-label="Why it failed"
      className="mb-4 overflow-hidden rounded-xl border border-bad-mark/35 bg-surface shadow-card"
    >
      <div className="flex flex-wrap items-start gap-3 border-l-3 border-bad-mark p-4">
        <CircleX size={18} className="mt-0.5 shrink-0 text-bad" aria-hidden />
        <div className="min-w-0 flex-1 basis-64">
          <p className="font-semibold break-words text-pretty">{message}</p>
          {hint && <p className="mt-1 max-w-prose text-soft break-words text-pretty">{hint}</p>}
          <p className="mt-2 flex flex-wrap gap-x-3 text-xs text-faint">
            {where && <span>Step: {where}</span>}
            <span className="font-mono">{code}</span>
          </p>
        </div>
        <div className="flex flex-wrap gap-2">
          {logSeq !== null && (
            <Button onClick={() => onShow(logSeq)}>
              <ListEnd size={14} aria-hidden /> Show line <span className="num">{logSeq.toLocaleString('en')}</span>
            </Button>
          )}
          <CopyButton text={copied} label="Copy why it failed">
            Copy
          </CopyButton>
        </div>
      </div>
    </section>
  )
}
