import { type ComponentProps, useId } from 'react'

type Props = Omit<ComponentProps<'select'>, 'className' | 'id'> & {
  label: string
  choices: readonly { value: string; label: string }[]
  hint?: string | undefined
  problem?: string | null | undefined
}

/** One of several, where one is always chosen. The browser's own: it has the right keys everywhere, and a wheel on phones. */
export function Choice({ label, choices, hint, problem, ...select }: Props) {
  const id = useId()
  const said = problem ?? hint
  return (
    <div>
      <label htmlFor={id} className="block font-medium">
        {label}
      </label>
      <select
        {...select}
        id={id}
        aria-invalid={problem ? true : undefined}
        aria-describedby={said ? `${id}-said` : undefined}
        className="mt-1.5 h-10 w-full rounded-md border border-edge bg-surface px-2.5 text-base shadow-card pointer-coarse:h-11 sm:text-sm"
      >
        {choices.map(({ value, label: shown }) => (
          <option key={value} value={value}>
            {shown}
          </option>
        ))}
      </select>
      {said && (
        <p id={`${id}-said`} className={`mt-1.5 text-xs text-pretty ${problem ? 'text-bad' : 'text-faint'}`}>
          {said}
        </p>
      )}
    </div>
  )
}
