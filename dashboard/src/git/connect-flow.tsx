import { ExternalLink } from 'lucide-react'
import { Command } from '../setup/command.tsx'
import { DeviceCode } from '../ui/forms/device-code.tsx'

/** What is to be done elsewhere; `begun`: in another tab, which only that tab can go on with. */
export type Flow =
  | { kind: 'redirect'; url: string }
  | { kind: 'code'; code: string; at: string; until: string }
  | { kind: 'terminal'; command: string; message: string | undefined }
  | { kind: 'begun' }

export function ConnectFlow({ flow, host }: { flow: Flow; host: string }) {
  return <div className="border-b border-line">{shown(flow, host)}</div>
}

function shown(flow: Flow, host: string) {
  switch (flow.kind) {
    case 'code':
      return (
        <DeviceCode
          code={flow.code}
          at={flow.at}
          until={flow.until}
          note={`Type this code at ${host}. This page notices when it is done.`}
        />
      )
    case 'redirect':
      return (
        <div className="p-5 text-center">
          <p className="text-soft text-pretty">Go on at {host}. This page notices when you are done there.</p>
          <a
            href={flow.url}
            target="_blank"
            rel="noreferrer"
            className="mt-4 inline-flex min-h-10 max-w-full items-center gap-2 rounded-md bg-primary px-4 font-medium text-primary-ink shadow-card hover:opacity-90 pointer-coarse:min-h-11"
          >
            <span className="truncate">Go on at {host}</span>
            <ExternalLink size={14} className="shrink-0" aria-hidden />
          </a>
        </div>
      )
    case 'terminal':
      return (
        <div className="space-y-2 p-5">
          <p className="text-soft text-pretty">{flow.message ?? 'Run this where Slipway runs, then connect again.'}</p>
          <Command text={flow.command} />
        </div>
      )
    case 'begun':
      return (
        <p className="p-5 text-soft text-pretty">
          You have begun to connect in another tab. Finish it there, or begin anew here.
        </p>
      )
  }
}
