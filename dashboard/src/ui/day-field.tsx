import { useEffect, useId, useRef } from 'react'

type Props = { label: string; value: string; onPick(day: string): void }

/** A day, as `2026-01-31`; empty: none. Who types a year has typed other years on the way: those are not picked. */
export function DayField({ label, value, onPick }: Props) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  // Not controlled: what is typed in part is nothing to React, and would be gone at the next look.
  useEffect(() => {
    if (input.current && input.current !== document.activeElement) input.current.value = value
  }, [value])
  return (
    // It is a part of the input that has the focus, so that the browser rings nothing by itself.
    <span
      className={`flex h-8 items-center outline-offset-2 outline-(--ring) focus-within:outline-2 gap-1.5 rounded-md border px-2.5 shadow-card pointer-coarse:h-11 ${value ? 'border-line-strong bg-hover font-medium' : 'border-line bg-surface text-soft'}`}
    >
      <label htmlFor={id}>{label}</label>
      <input
        ref={input}
        id={id}
        type="date"
        min={EARLIEST}
        defaultValue={value}
        className="h-full bg-transparent outline-none num"
        onChange={({ target }) => {
          if (target.value === '' || target.value >= EARLIEST) onPick(target.value)
        }}
      />
    </span>
  )
}

/** Before that there was nothing to look for. */
const EARLIEST = '2020-01-01'
