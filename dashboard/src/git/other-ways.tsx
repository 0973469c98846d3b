import type { FormEvent } from 'react'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { textIn } from '../ui/forms/text-in.ts'
import { type Asked, WAY_WORDS, type Way } from './words.ts'

type Props = { ways: Way[]; busy: boolean; onAsk(asked: Asked): void }

/** The ways that the server has beside the one that it picked. */
export function OtherWays({ ways, busy, onAsk }: Props) {
  if (ways.length === 0) return <p className="text-xs text-faint">There is no other way to connect this instance.</p>
  const plain = ways.filter((way) => way !== 'manifest')
  return (
    <div className="space-y-3">
      <div className="flex flex-wrap gap-2">
        {plain.map((way) => (
          <Button key={way} busy={busy} onClick={() => onAsk({ source: way })}>
            {WAY_WORDS[way]}
          </Button>
        ))}
      </div>
      {ways.includes('manifest') && <OwnApp busy={busy} onAsk={onAsk} />}
    </div>
  )
}

/** An app belongs to a person or to an organization of the git host; which one cannot be changed later. */
function OwnApp({ busy, onAsk }: Omit<Props, 'ways'>) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const account = textIn(new FormData(event.currentTarget), 'account')
    onAsk({ source: 'manifest', ...(account && { account }) })
  }
  return (
    <form onSubmit={submit} className="max-w-md space-y-3">
      <Field
        label="Organization that is to own the app"
        name="account"
        autoComplete="off"
        pattern="[\w\-]+"
        hint="As it is called at the git host. Empty: it belongs to you."
      />
      <Button type="submit" busy={busy}>
        {WAY_WORDS.manifest}
      </Button>
    </form>
  )
}
