import type { Server } from '@slipway/contract/servers'
import { ShieldAlert } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '../api/use-may.ts'
import { Command } from '../setup/command.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { GatedButton } from '../ui/gated-button.tsx'
import { changedKey, SHOW_KEY } from './host-key.ts'
import { usePinKey } from './use-pin-key.ts'

/** A server that shows another key than the pinned one: nothing is done there until somebody has compared them. */
export function HostKeyChanged({ server, onTrusted }: { server: Server; onTrusted(): void }) {
  const [isAsking, setAsking] = useState(false)
  const may = useMay()
  const pin = usePinKey(server, () => {
    setAsking(false)
    onTrusted()
  })
  const line = server.lastReport?.checks.find(({ name, state }) => name === 'connection' && state === 'failed')
  const keys = line && changedKey(line.found)
  if (!keys) return null
  return (
    <section
      aria-label="Another host key"
      className="mb-4 rounded-xl border border-bad-mark/60 bg-surface p-4 shadow-card"
    >
      <h2 className="flex items-center gap-2 font-semibold text-bad">
        <ShieldAlert size={18} className="shrink-0" aria-hidden /> The server shows another host key
      </h2>
      <p className="mt-1 text-soft text-pretty">
        Nothing is sent to it. It was installed anew, or somebody is in between. Compare on its own console:
      </p>
      <div className="mt-2">
        <Command text={SHOW_KEY} />
      </div>
      <dl className="mt-3 grid gap-x-4 gap-y-1 text-xs sm:grid-cols-[6rem_minmax(0,1fr)]">
        <dt className="text-soft">Pinned</dt>
        <dd className="font-mono break-all">{keys.pinned}</dd>
        <dt className="text-soft">Shown now</dt>
        <dd className="font-mono break-all">{keys.shown}</dd>
      </dl>
      <div className="mt-3">
        <GatedButton reason={may('server:write')} onClick={() => setAsking(true)}>
          Take the new key
        </GatedButton>
      </div>
      <Confirm
        open={isAsking}
        title="Take the new host key?"
        consequences={[
          <span key="new" className="break-all">
            From now on only {keys.shown} is taken.
          </span>,
          'Whoever has that key gets what Slipway sends to this server: sources, variables, commands.',
          'What runs there is not touched.',
        ]}
        verb="Take it"
        danger
        busy={pin.isPending}
        error={pin.error}
        onConfirm={() => pin.mutate(keys.shown)}
        onClose={() => setAsking(false)}
      />
    </section>
  )
}
