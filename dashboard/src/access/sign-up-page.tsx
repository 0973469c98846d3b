import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api } from '../api/client.ts'
import { problemsIn } from '../api/problem-at.ts'
import { instanceQuery } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { textIn } from '../ui/forms/text-in.ts'
import { Bones } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { useTitle } from '../ui/title.ts'
import { Entrance } from './entrance.tsx'
import { type Asked, FinishSignUp } from './finish-sign-up.tsx'
import { useWait } from './use-wait.ts'

/** An account and an organization of one's own. Only a cloud takes people in like this. */
export function SignUpPage() {
  useTitle('Sign up · Slipway')
  const instance = useQuery(instanceQuery)
  const [asked, setAsked] = useState<Asked | null>(null)
  if (instance.isPending)
    return (
      <Entrance title="Sign up">
        <Bones rows={2} />
      </Entrance>
    )
  if (instance.data?.mode === 'self_hosted') return <ByInvitation />
  if (asked) return <FinishSignUp asked={asked} onAgain={() => setAsked(null)} />
  return <AskForCode onAsked={setAsked} />
}

function AskForCode({ onAsked }: { onAsked(asked: Asked): void }) {
  const ask = useMutation({
    meta: { signsIn: true },
    mutationFn: async (email: string) => ({ email, ...(await api.auth.signUp({ body: { email } })) }),
    onSuccess: onAsked,
  })
  const wait = useWait(ask.error)
  const { at, rest } = problemsIn(ask.error, ['email'])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    ask.mutate(textIn(new FormData(event.currentTarget), 'email') ?? '')
  }
  return (
    <Entrance title="Sign up" note="You get a code by mail. Nothing is made before you type it in.">
      <form onSubmit={submit} className="mt-5 space-y-4">
        <Field
          label="Email"
          name="email"
          type="email"
          required
          autoComplete="email"
          autoFocus
          problem={at.email ?? null}
        />
        <Refused error={rest} />
        <Button type="submit" look="primary" size="lg" className="w-full" busy={ask.isPending} disabled={wait > 0}>
          {wait > 0 ? `Again in ${wait} s` : 'Send me a code'}
        </Button>
      </form>
      <ToSignIn />
    </Entrance>
  )
}

function ByInvitation() {
  return (
    <Entrance
      title="Ask for an invitation"
      note="This instance belongs to somebody: an owner of it makes a link for you under Settings, Members."
    >
      <ToSignIn />
    </Entrance>
  )
}

const ToSignIn = () => (
  <p className="mt-4 text-center">
    <Link
      to="/sign-in"
      className="inline-flex items-center font-medium text-brand underline underline-offset-4 pointer-coarse:min-h-11"
    >
      I have an account
    </Link>
  </p>
)
