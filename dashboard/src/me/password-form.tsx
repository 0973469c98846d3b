import { type FormEvent, useRef, useState } from 'react'
import { api, isRefusal, wordsOf } from '../api/client.ts'
import { useWrite } from '../api/use-write.ts'
import { announce } from '../ui/announce.tsx'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Card } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { Section } from '../ui/section.tsx'

const DONE = 'The password was changed. Your other sessions have ended.'

export function PasswordForm() {
  const form = useRef<HTMLFormElement>(null)
  const [isDone, setDone] = useState(false)
  const change = useWrite({
    send: (body: { currentPassword: string; newPassword: string }, headers) => api.me.changePassword({ body, headers }),
    refresh: [['me', 'sessions']],
    onDone: () => {
      form.current?.reset()
      setDone(true)
      announce(DONE)
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const said = new FormData(event.currentTarget)
    setDone(false)
    change.mutate({
      currentPassword: String(said.get('currentPassword')),
      newPassword: String(said.get('newPassword')),
    })
  }
  // A password that is too weak and one that is wrong have the same code; only the schema names a field.
  const isWrong = isRefusal(change.error) && change.error.body.code === 'invalid_password'
  return (
    <Section title="Password" note="Changing it ends all your sessions but this one.">
      <Card>
        <form ref={form} onSubmit={submit} className="max-w-md space-y-4 p-4">
          <Field
            label="Password now"
            name="currentPassword"
            type="password"
            required
            maxLength={128}
            autoComplete="current-password"
            problem={isWrong ? wordsOf(change.error).sentence : null}
          />
          <Field
            label="New password"
            name="newPassword"
            type="password"
            required
            minLength={10}
            maxLength={128}
            autoComplete="new-password"
            hint="At least 10 characters."
          />
          {!isWrong && <Refused error={change.error} />}
          <div className="flex flex-wrap items-center gap-3">
            <Button type="submit" busy={change.isPending}>
              Change the password
            </Button>
            {isDone && <p className="text-ok">{DONE}</p>}
          </div>
        </form>
      </Card>
    </Section>
  )
}
