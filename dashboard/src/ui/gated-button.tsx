import type { ComponentProps } from 'react'
import { Button } from './button.tsx'

/** A button that says below it why it cannot be pressed. `reason` null: it can. */
export function GatedButton({ reason, ...button }: ComponentProps<typeof Button> & { reason: string | null }) {
  if (reason === null) return <Button {...button} />
  return (
    <div className="flex min-w-0 flex-col items-start gap-1">
      <Button {...button} disabled />
      <p className="max-w-72 text-xs text-faint text-pretty">{reason}</p>
    </div>
  )
}
