import { Undo2 } from 'lucide-react'
import { type ComponentProps, type ReactNode, useId } from 'react'
import { Button } from '../ui/button.tsx'

type Props = Omit<ComponentProps<'input'>, 'className' | 'id'> & {
  label: string
  mono?: boolean
  hint?: string | undefined
  problem?: string | undefined
  /** Where it is somebody's own: takes what was found again. */
  onBack?: (() => void) | null
}

/** A row of the plan that can be written in. What is somebody's own says so, and can be put back. */
export function InputRow({ label, mono = false, hint, problem, onBack = null, ...input }: Props) {
  const id = useId()
  const said = problem ?? hint
  return (
    <Row label={<label htmlFor={id}>{label}</label>}>
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <input
          {...input}
          id={id}
          autoComplete="off"
          spellCheck={false}
          aria-invalid={problem ? true : undefined}
          aria-describedby={said ? `${id}-said` : undefined}
          className={`h-9 min-w-0 flex-1 basis-48 rounded-md border bg-surface px-2.5 text-base placeholder:text-faint hover:border-line-strong pointer-coarse:h-11 sm:text-sm ${mono ? 'font-mono' : ''} ${problem ? 'border-bad-mark' : 'border-line'}`}
        />
        {onBack && (
          <>
            <span className="text-xs text-run">yours</span>
            <Button size="sm" look="quiet" aria-label={`Put back ${label.toLowerCase()}`} onClick={onBack}>
              <Undo2 size={13} aria-hidden /> Put back
            </Button>
          </>
        )}
      </div>
      {said && (
        <p id={`${id}-said`} className={`mt-1 text-xs text-pretty ${problem ? 'text-bad' : 'text-faint'}`}>
          {said}
        </p>
      )}
    </Row>
  )
}

export const Row = ({ label, children }: { label: ReactNode; children: ReactNode }) => (
  <div className="grid gap-x-4 gap-y-1.5 px-4 py-3 sm:grid-cols-[8rem_minmax(0,1fr)]">
    <div className="pt-2 text-soft max-sm:pt-0">{label}</div>
    <div className="min-w-0">{children}</div>
  </div>
)
