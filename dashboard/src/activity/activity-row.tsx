import { Link } from '@tanstack/react-router'
import { Bot, ChevronRight, KeyRound, UserRound } from 'lucide-react'
import type { AuditEntry } from '../api/platform.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { Age } from '../ui/time.tsx'
import { LOOK, TargetLink } from './target-link.tsx'
import { actionInWords, deploymentInWords, isRefusedAction } from './words.ts'

const ACTORS = { user: UserRound, token: KeyRound, system: Bot }

type Props = { entry: AuditEntry; nameOf(id: string): string | undefined }

/** One line says who, what, which, from where and when; all that is known opens below it. */
export function ActivityRow({ entry, nameOf }: Props) {
  const { at, action, actor, address, detail } = entry
  const Actor = ACTORS[actor.kind]
  const told = toldOf(entry, nameOf)
  return (
    <li>
      <details className="group">
        <summary className="flex cursor-pointer list-none flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3 outline-offset-[-2px] hover:bg-hover/60 [&::-webkit-details-marker]:hidden">
          <ChevronRight size={14} className="shrink-0 text-faint group-open:rotate-90" aria-hidden />
          <Actor size={15} className="shrink-0 text-faint" aria-hidden />
          <span className="min-w-0 flex-1 basis-44 text-pretty">
            <span className="font-medium">{actor.name}</span>{' '}
            <span className={isRefusedAction(action) ? 'text-bad' : 'text-soft'}>{actionInWords(action, detail)}</span>
            {told && <span className="font-medium break-words"> {told}</span>}
          </span>
          <span className="flex gap-3 text-xs text-faint max-sm:w-full max-sm:pl-12">
            {address && <span className="font-mono">{address}</span>}
            <span className="sm:w-20 sm:text-right">
              <Age at={at} />
            </span>
          </span>
        </summary>
        <Detail entry={entry} />
      </details>
    </li>
  )
}

/** Whoever does something to themselves is not named twice, and an id is no name: it stands below. */
function toldOf({ target, actor, detail }: AuditEntry, nameOf: Props['nameOf']): string | undefined {
  if (target === null || target === actor.id) return undefined
  const isId = /^[a-z]{3}_[0-9a-z]{26}$/.test(target)
  return nameOf(target) ?? ofDeployment(target, detail, nameOf) ?? nameIn(detail) ?? (isId ? undefined : target)
}

const ofDeployment = (target: string, detail: AuditEntry['detail'], nameOf: Props['nameOf']) =>
  target.startsWith('dep_') ? deploymentInWords(detail, nameOf) : undefined

/** What has been deleted is still named in what was noted about it. */
function nameIn({ name, host, email }: Record<string, unknown>): string | undefined {
  return [name, host, email].find((one): one is string => typeof one === 'string')
}

function Detail({ entry }: { entry: AuditEntry }) {
  const { at, action, target, actor, address, requestId, detail } = entry
  const rows: [string, string | null][] = [
    ['when', new Date(at).toLocaleString()],
    ['action', action],
    ['by', `${actor.name}${actor.kind === 'token' ? ', with an access token' : ''}`],
    ['from', address],
    ['request', requestId],
    ...Object.entries(detail).map(([name, value]): [string, string] => [name, inWords(value)]),
  ]
  return (
    <div className="border-t border-line bg-sunken px-4 py-3 text-xs">
      <dl className="grid gap-x-4 gap-y-1 sm:grid-cols-[9rem_minmax(0,1fr)]">
        {rows.map(([name, value]) => value !== null && <Line key={name} name={name} value={value} />)}
      </dl>
      <div className="mt-2 flex flex-wrap items-center gap-x-4 gap-y-1">
        {target !== null && (
          <>
            <TargetLink id={target} />
            <Link to="/activity" search={{ target }} className={LOOK}>
              Everything about it
            </Link>
            <CopyButton text={target} label={`Copy ${target}`} />
          </>
        )}
        {actor.id !== null && (
          <Link to="/activity" search={{ actor: actor.id }} className={LOOK}>
            Everything by {actor.name}
          </Link>
        )}
      </div>
    </div>
  )
}

function Line({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt className="text-faint">{name}</dt>
      <dd className="min-w-0 font-mono break-words max-sm:mb-1">{value}</dd>
    </>
  )
}

const inWords = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
