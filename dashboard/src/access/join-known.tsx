import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Refused } from '../ui/refused.tsx'
import { Entrance } from './entrance.tsx'
import { joinAsKnown } from './join.ts'
import { useWait } from './use-wait.ts'

/** `isTold`: they said that they are new here, and are not. */
type Props = { code: string; isTold: boolean; onDone(): void; onNew(): void }

const TOLD = 'This address has an account already, so nothing was changed. Join with its own password.'

export function JoinKnown({ code, isTold, onDone, onNew }: Props) {
  const [mustRenew, setMustRenew] = useState(false)
  const join = useMutation({
    meta: { signsIn: true },
    mutationFn: joinAsKnown,
    onSuccess: (ended) => (ended === 'in' ? onDone() : setMustRenew(true)),
  })
  const wait = useWait(join.error)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const said = new FormData(event.currentTarget)
    const text = (name: string) => String(said.get(name) ?? '')
    join.mutate({ code, email: text('email').trim(), password: text('password'), newPassword: text('newPassword') })
  }
  return (
    <Entrance title="Join with your account" note={isTold ? TOLD : 'Sign in with the account that was invited.'}>
      <form onSubmit={submit} className="mt-5 space-y-4">
        <Field
          label="Email"
          name="email"
          type="email"
          required
          autoComplete="username"
          autoFocus
          hint="The one that the link was made for: with another nobody can join."
        />
        <Field
          label="Password"
          name="password"
          type="password"
          required
          maxLength={128}
          autoComplete="current-password"
        />
        {mustRenew && (
          <Field
            label="New password"
            name="newPassword"
            type="password"
            required
            minLength={10}
            maxLength={128}
            autoComplete="new-password"
            hint="Whoever made the account may know the old one. At least 10 characters."
          />
        )}
        <Refused error={join.error} />
        <Button type="submit" look="primary" size="lg" className="w-full" busy={join.isPending} disabled={wait > 0}>
          {wait > 0 ? `Again in ${wait} s` : 'Sign in and join'}
        </Button>
        <Button look="quiet" size="lg" className="w-full" onClick={onNew}>
          I am new here
        </Button>
      </form>
    </Entrance>
  )
}
