import { type ComponentProps, useId } from 'react'

type Props = Omit<ComponentProps<'input'>, 'className' | 'id'> & {
  label: string
  /** What is asked of it, said before anything is wrong. */
  hint?: string
  problem?: string | null | undefined
}

/** A label, an input, and what is wrong with it right below. Paste is never blocked, and nothing is cleared. */
export function Field({ label, hint, problem, ...input }: Props) {
  const id = useId()
  const said = problem ?? hint
  return (
    <div>
      <label htmlFor={id} className="block font-medium">
        {label}
      </label>
      <input
        {...input}
        id={id}
        aria-invalid={problem ? true : undefined}
        aria-describedby={said ? `${id}-said` : undefined}
        className={`mt-1.5 h-10 w-full rounded-md border bg-surface px-3 text-base shadow-card placeholder:text-faint pointer-coarse:h-11 sm:text-sm ${problem ? 'border-bad-mark' : 'border-edge'}`}
      />
      {said && (
        <p id={`${id}-said`} className={`mt-1.5 text-xs ${problem ? 'text-bad' : 'text-faint'}`}>
          {said}
        </p>
      )}
    </div>
  )
}
