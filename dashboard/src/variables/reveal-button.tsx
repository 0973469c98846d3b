import { Eye, EyeOff } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '../api/use-may.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { GatedButton } from '../ui/gated-button.tsx'
import type { useReveal } from './use-reveal.ts'

export function RevealButton({ reveal: { values, ask, hide } }: { reveal: ReturnType<typeof useReveal> }) {
  const [asking, setAsking] = useState(false)
  const may = useMay()
  if (values)
    return (
      <Button onClick={hide}>
        <EyeOff size={14} aria-hidden /> Hide values
      </Button>
    )
  return (
    <>
      <GatedButton
        reason={may('project:admin')}
        onClick={() => {
          ask.reset()
          setAsking(true)
        }}
      >
        <Eye size={14} aria-hidden /> Show values
      </GatedButton>
      <Confirm
        open={asking}
        title="Show the values?"
        consequences={[
          'Every value of this project is shown on this page for two minutes.',
          'Activity says that you have looked, and at which names.',
        ]}
        verb="Show values"
        busy={ask.isPending}
        error={ask.error}
        onConfirm={() => ask.mutate(undefined, { onSuccess: () => setAsking(false) })}
        onClose={() => setAsking(false)}
      />
    </>
  )
}
