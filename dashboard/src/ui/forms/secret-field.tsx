import { useId, useState } from 'react'
import { Button } from '../button.tsx'

type Props = {
  label: string
  name: string
  /** One is stored already. It never comes out again. */
  isSet: boolean
  /** Where it may be taken away without another in its place. */
  canGo?: boolean
  long?: boolean
  required?: boolean
  hint?: string
  problem?: string | null | undefined
}

const goneName = (name: string) => `${name}-taken-away`
const LOOK =
  'mt-1.5 w-full rounded-md border bg-surface px-3 text-base shadow-card placeholder:text-faint pointer-coarse:min-h-11 sm:text-sm'

/** A secret goes in and never comes out: what is stored shows as "set", can be replaced, and is left alone unless somebody does. */
export function SecretField({ label, name, isSet, canGo = false, long = false, hint, problem, ...more }: Props) {
  const id = useId()
  const [way, setWay] = useState<'keep' | 'write' | 'gone'>(isSet ? 'keep' : 'write')
  const said = problem ?? hint
  const field = {
    id,
    name,
    'aria-describedby': said ? `${id}-said` : undefined,
    'aria-invalid': problem ? true : undefined,
  }
  const look = `${LOOK} ${problem ? 'border-bad-mark' : 'border-line-strong'}`
  return (
    <div>
      <label htmlFor={way === 'write' ? id : undefined} className="block font-medium">
        {label}
      </label>
      {way === 'write' &&
        (long ? (
          <textarea {...field} {...more} rows={4} spellCheck={false} className={`${look} py-2 font-mono`} />
        ) : (
          <input {...field} {...more} type="password" autoComplete="off" className={`${look} h-10`} />
        ))}
      {isSet && <Stored label={label} way={way} canGo={canGo} onWay={setWay} />}
      {way === 'gone' && <input type="hidden" name={goneName(name)} value="yes" />}
      {said && (
        <p id={`${id}-said`} className={`mt-1.5 text-xs text-pretty ${problem ? 'text-bad' : 'text-faint'}`}>
          {said}
        </p>
      )}
    </div>
  )
}

type StoredProps = {
  label: string
  way: 'keep' | 'write' | 'gone'
  canGo: boolean
  onWay(way: StoredProps['way']): void
}

function Stored({ label, way, canGo, onWay }: StoredProps) {
  const thing = label.toLowerCase()
  return (
    <div className="mt-1.5 flex flex-wrap items-center gap-x-2 gap-y-1">
      {way === 'keep' && <span className="text-soft">Set</span>}
      {way === 'gone' && <span className="text-soft">Will be taken away</span>}
      {way !== 'write' && (
        <Button size="sm" aria-label={`Replace the ${thing}`} onClick={() => onWay('write')}>
          Replace
        </Button>
      )}
      {canGo && way !== 'gone' && (
        <Button size="sm" look="quiet" aria-label={`Take the ${thing} away`} onClick={() => onWay('gone')}>
          Take away
        </Button>
      )}
      {way !== 'keep' && (
        <Button size="sm" look="quiet" aria-label={`Leave the ${thing} as it is`} onClick={() => onWay('keep')}>
          Leave as it is
        </Button>
      )}
    </div>
  )
}

/** undefined: left alone, and not sent; null: to be taken away. */
export function secretIn(form: FormData, name: string): string | null | undefined {
  if (form.has(goneName(name))) return null
  const said = form.get(name)
  return typeof said === 'string' && said !== '' ? said : undefined
}
