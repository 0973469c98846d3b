import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useRef } from 'react'
import { isRefusal } from '../api/client.ts'
import { problemsIn } from '../api/problem-at.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Code } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { Entrance } from './entrance.tsx'
import { joinAsNewcomer } from './join.ts'
import { useWait } from './use-wait.ts'

/** `onKnown`: by choice, or because it turned out that the address has an account. */
type Props = { code: string; onDone(): void; onKnown(isTold: boolean): void; onMade(): void }

const FIELDS = ['email', 'name', 'password'] as const

export function JoinNew({ code, onDone, onKnown, onMade }: Props) {
  const email = useRef<HTMLInputElement>(null)
  const join = useMutation({
    meta: { signsIn: true },
    mutationFn: joinAsNewcomer,
    onSuccess: (ended) => {
      if (ended === 'in') onDone()
      else if (ended === 'made') onMade()
      else onKnown(true)
    },
    onError: (error) => problemsIn(error, FIELDS).at.email && email.current?.focus(),
  })
  const wait = useWait(join.error)
  const { at, rest } = problemsIn(join.error, FIELDS)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const said = new FormData(event.currentTarget)
    const text = (name: string) => String(said.get(name)).trim()
    join.mutate({ code, email: text('email'), name: text('name'), password: String(said.get('password')) })
  }
  return (
    <Entrance title="Welcome" note="Choose what you are called here and a password.">
      <form onSubmit={submit} className="mt-5 space-y-4">
        <Field
          label="Email"
          name="email"
          type="email"
          required
          autoComplete="username"
          autoFocus
          hint="The one that the link was made for."
          ref={email}
          problem={at.email}
        />
        <Field label="Your name" name="name" maxLength={80} autoComplete="name" problem={at.name} />
        <Field
          label="Password"
          name="password"
          type="password"
          required
          minLength={10}
          maxLength={128}
          autoComplete="new-password"
          hint="At least 10 characters."
          problem={at.password}
        />
        <Refused error={rest} />
        {isRefusal(rest) && rest.body.code === 'invalid_code' && <NewLink />}
        <Button type="submit" look="primary" size="lg" className="w-full" busy={join.isPending} disabled={wait > 0}>
          {wait > 0 ? `Again in ${wait} s` : 'Join and sign in'}
        </Button>
        <Button look="quiet" size="lg" className="w-full" onClick={() => onKnown(false)}>
          I have an account
        </Button>
      </form>
    </Entrance>
  )
}

const NewLink = () => (
  <p className="text-soft text-pretty">
    The owner of the instance gets a new link on its machine: <Code>slipway admin bootstrap --again --email …</Code>
  </p>
)
