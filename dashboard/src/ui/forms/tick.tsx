import type { ComponentProps, ReactNode } from 'react'

type Props = Omit<ComponentProps<'input'>, 'className' | 'type'> & { children: ReactNode }

/** A box to tick and its sentence; the sentence is part of the target. */
export const Tick = ({ children, ...input }: Props) => (
  <label className="flex min-h-6 items-center gap-2.5 pointer-coarse:min-h-11">
    <input {...input} type="checkbox" className="tick" />
    <span className="min-w-0 text-pretty">{children}</span>
  </label>
)
