import { type ComponentProps, useId } from 'react'

type Props = Omit<ComponentProps<'textarea'>, 'className' | 'id'> & {
  label: string
  hint?: string | undefined
  problem?: string | null | undefined
}

/** Several lines, as they are: nothing is corrected or completed in them. */
export function TextArea({ label, hint, problem, ...area }: Props) {
  const id = useId()
  const said = problem ?? hint
  return (
    <div>
      <label htmlFor={id} className="block font-medium">
        {label}
      </label>
      <textarea
        rows={3}
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="none"
        {...area}
        id={id}
        aria-invalid={problem ? true : undefined}
        aria-describedby={said ? `${id}-said` : undefined}
        className={`thin-scroll mt-1.5 w-full rounded-md border bg-surface px-3 py-2 font-mono text-base shadow-card placeholder:text-faint sm:text-xs ${problem ? 'border-bad-mark' : 'border-edge'}`}
      />
      {said && (
        <p id={`${id}-said`} className={`mt-1 text-xs text-pretty ${problem ? 'text-bad' : 'text-faint'}`}>
          {said}
        </p>
      )}
    </div>
  )
}
