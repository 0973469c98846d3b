import { useCallback, useMemo, useState } from 'react'
import { Bones } from '../ui/page.tsx'
import { type LogLook, LogView } from './log-view.tsx'
import type { Log } from './open-log.ts'
import { useLog, useOpenLog } from './use-log.ts'

export type RuntimeLook = LogLook & { service?: string | undefined }

type Props = {
  projectId: string
  /** What the address says of it, and how it is changed; without them the log keeps both to itself. */
  look?: RuntimeLook
  onLook?(look: RuntimeLook): void
  /** Its height; it fills what it is in where nothing is said. */
  className?: string
}

/** What the services of a project print now, and from the last lines on. */
export function RuntimeLog({ projectId, look: given, onLook: tell, className = 'min-h-[32rem]' }: Props) {
  const address = `/api/projects/${projectId}/logs`
  const source = useMemo(() => ({ kind: 'timed' as const, stream: `${address}?follow=true&limit=1000` }), [address])
  const log = useOpenLog(source)
  const [own, setOwn] = useState<RuntimeLook>({})
  const look = given ?? own
  const onLook = useCallback(
    (change: RuntimeLook) => (tell ? tell(change) : setOwn((before) => ({ ...before, ...change }))),
    [tell],
  )
  return (
    <div className={`flex flex-col overflow-hidden rounded-xl border border-line bg-surface shadow-card ${className}`}>
      {log ? (
        <>
          <Services log={log} chosen={look.service ?? null} onChoose={(service) => onLook({ service })} />
          <LogView
            log={log}
            steps={null}
            service={look.service ?? null}
            look={look}
            isNumbered={false}
            hasServices={look.service === undefined}
            follow
            textUrl={`${address}?format=text&limit=5000`}
            onLook={onLook}
          />
        </>
      ) : (
        <Bones />
      )}
    </div>
  )
}

type ServicesProps = { log: Log; chosen: string | null; onChoose(service: string | undefined): void }

/** Those that have printed something, as chips; one is chosen or all are. */
function Services({ log, chosen, onChoose }: ServicesProps) {
  const names = useLog(log, ({ services }) => services.toSorted().join('\n'))
  const all = new Set([...names.split('\n'), chosen ?? ''].filter(Boolean))
  if (all.size < 2 && chosen === null) return null
  return (
    <fieldset className="thin-scroll flex gap-1.5 overflow-x-auto border-b border-line p-2">
      <legend className="sr-only">Lines of which service</legend>
      <Chip label="All services" isChosen={chosen === null} onChoose={() => onChoose(undefined)} />
      {[...all].map((name) => (
        <Chip key={name} label={name} isChosen={chosen === name} onChoose={() => onChoose(name)} />
      ))}
    </fieldset>
  )
}

function Chip({ label, isChosen, onChoose }: { label: string; isChosen: boolean; onChoose(): void }) {
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      onClick={onChoose}
      className={`h-7 shrink-0 rounded-full border px-3 text-xs font-medium pointer-coarse:h-11 ${isChosen ? 'border-line-strong bg-hover text-ink' : 'border-line text-soft hover:bg-hover'}`}
    >
      {label}
    </button>
  )
}
