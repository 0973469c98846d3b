import { Button as Base } from '@base-ui/react/button'
import type { ComponentProps } from 'react'

const LOOKS = {
  primary: 'bg-primary text-primary-ink hover:opacity-90 shadow-card',
  plain: 'bg-surface text-ink border border-line hover:bg-hover shadow-card',
  quiet: 'text-soft hover:text-ink hover:bg-hover',
  danger: 'bg-bad text-white hover:opacity-90 shadow-card dark:text-canvas',
}
const SIZES = {
  lg: 'h-10 px-4 gap-2 justify-center',
  md: 'h-8 px-3 gap-1.5',
  sm: 'h-7 px-2 gap-1.5 text-xs',
  icon: 'size-8 justify-center',
}

type Props = Omit<ComponentProps<typeof Base>, 'className'> & {
  look?: keyof typeof LOOKS
  size?: keyof typeof SIZES
  /** Asked for and not answered yet: it stays where it is and takes no second click. */
  busy?: boolean
  className?: string
}

/** Grows to 44 px where a finger is the pointer. */
export function Button({ look = 'plain', size = 'md', busy = false, disabled, className = '', ...props }: Props) {
  return (
    <Base
      type="button"
      disabled={disabled || busy}
      focusableWhenDisabled={busy}
      aria-busy={busy || undefined}
      className={`inline-flex shrink-0 items-center rounded-md font-medium whitespace-nowrap transition-[background,opacity,color] duration-100 data-disabled:opacity-45 pointer-coarse:min-h-11 pointer-coarse:min-w-11 ${busy ? 'under-way' : ''} ${LOOKS[look]} ${SIZES[size]} ${className}`}
      {...props}
    />
  )
}
