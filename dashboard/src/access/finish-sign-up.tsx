import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { api } from '../api/client.ts'
import { problemsIn } from '../api/problem-at.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { textIn } from '../ui/forms/text-in.ts'
import { Refused } from '../ui/refused.tsx'
import { Entrance } from './entrance.tsx'
import { useWait } from './use-wait.ts'

/** What the first step was answered with. */
export type Asked = { email: string; signUpId: string; expiresAt: string }
type Said = { code: string; name: string; organization: string; password: string }

/** The code of the mail makes the account and its organization; then one is signed in. */
export function FinishSignUp({ asked, onAgain }: { asked: Asked; onAgain(): void }) {
  const finish = useFinish(asked)
  const wait = useWait(finish.error)
  const { at, rest } = problemsIn(finish.error, ['code', 'name', 'organization', 'password'])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => textIn(form, name) ?? ''
    finish.mutate({
      code: text('code'),
      name: text('name'),
      organization: text('organization'),
      password: String(form.get('password')),
    })
  }
  return (
    <Entrance title="Look at your mail" note={`If ${asked.email} has no account yet, a code is on its way there.`}>
      <form onSubmit={submit} className="mt-5 space-y-4">
        <Field
          label="Code"
          name="code"
          required
          maxLength={32}
          autoComplete="one-time-code"
          autoCapitalize="characters"
          autoFocus
          hint={`Good until ${new Date(asked.expiresAt).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })}.`}
          problem={at.code ?? null}
        />
        <Field label="Your name" name="name" required maxLength={80} autoComplete="name" problem={at.name ?? null} />
        <Field
          label="Organization"
          name="organization"
          required
          maxLength={80}
          autoComplete="organization"
          hint="What you deploy belongs to it. Others can be invited later."
          problem={at.organization ?? null}
        />
        <Field
          label="Password"
          name="password"
          type="password"
          required
          minLength={10}
          maxLength={128}
          autoComplete="new-password"
          hint="At least 10 characters."
          problem={at.password ?? null}
        />
        <Refused error={rest} />
        <Button type="submit" look="primary" size="lg" className="w-full" busy={finish.isPending} disabled={wait > 0}>
          {wait > 0 ? `Again in ${wait} s` : 'Sign up'}
        </Button>
        <Button look="quiet" size="lg" className="w-full" onClick={onAgain}>
          Send another code
        </Button>
      </form>
    </Entrance>
  )
}

function useFinish({ email, signUpId }: Asked) {
  const client = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    meta: { signsIn: true },
    mutationFn: async (said: Said) => {
      await api.auth.finishSignUp({ body: { signUpId, ...said } })
      await api.auth.signIn({ body: { email, password: said.password } })
    },
    onSuccess: () => {
      client.clear()
      void navigate({ to: '/setup', replace: true })
    },
  })
}
