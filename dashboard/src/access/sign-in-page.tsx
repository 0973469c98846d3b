import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useRouter } from '@tanstack/react-router'
import { type FormEvent, useRef } from 'react'
import { api, isRefusal } from '../api/client.ts'
import { instanceQuery } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Refused } from '../ui/refused.tsx'
import { useTitle } from '../ui/title.ts'
import { Entrance } from './entrance.tsx'
import { nextAddress } from './next-address.ts'
import { useWait } from './use-wait.ts'

const route = getRouteApi('/sign-in')
type Said = { email: string; password: string; rememberMe: boolean }

export function SignInPage() {
  useTitle('Sign in · Slipway')
  const { next } = route.useSearch()
  const password = useRef<HTMLInputElement>(null)
  const signIn = useSignIn(nextAddress(next), () => password.current?.focus())
  const wait = useWait(signIn.error)
  const wrong = isRefusal(signIn.error) && signIn.error.status === 401 ? signIn.error.body.error : null
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const said = new FormData(event.currentTarget)
    signIn.mutate({
      email: String(said.get('email')),
      password: String(said.get('password')),
      rememberMe: said.get('remember') !== null,
    })
  }
  return (
    <Entrance title="Sign in" note={next ? 'Sign in to go on where you were.' : undefined}>
      <form onSubmit={submit} className="mt-5 space-y-4">
        <Field label="Email" name="email" type="email" required autoComplete="username" autoFocus />
        <Field
          label="Password"
          name="password"
          type="password"
          required
          maxLength={128}
          autoComplete="current-password"
          ref={password}
          problem={wrong}
        />
        <label className="flex min-h-6 items-center gap-2.5 text-soft pointer-coarse:min-h-11">
          <input type="checkbox" name="remember" defaultChecked className="tick" />
          Stay signed in
        </label>
        {wrong === null && <Refused error={signIn.error} />}
        <Button type="submit" look="primary" size="lg" className="w-full" busy={signIn.isPending} disabled={wait > 0}>
          {wait > 0 ? `Again in ${wait} s` : 'Sign in'}
        </Button>
      </form>
      <ToSignUp />
    </Entrance>
  )
}

/** Only a cloud takes in whoever comes; elsewhere one is invited. */
function ToSignUp() {
  const { data: instance } = useQuery(instanceQuery)
  if (instance?.mode !== 'cloud') return null
  return (
    <p className="mt-4 text-center">
      <Link
        to="/sign-up"
        className="inline-flex items-center font-medium text-brand underline underline-offset-4 pointer-coarse:min-h-11"
      >
        I am new here
      </Link>
    </p>
  )
}

/** What belonged to whoever was here before is forgotten first. */
function useSignIn(next: string, onWrong: () => void) {
  const client = useQueryClient()
  const router = useRouter()
  return useMutation({
    meta: { signsIn: true },
    mutationFn: (body: Said) => api.auth.signIn({ body }),
    onSuccess: () => {
      client.clear()
      router.history.push(next)
    },
    onError: (error) => {
      if (isRefusal(error) && error.status === 401) onWrong()
    },
  })
}
