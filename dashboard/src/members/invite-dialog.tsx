import { ROLES, type Role } from '@slipway/contract/permissions'
import { api } from '../api/client.ts'
import { invitationsQuery } from '../api/platform.ts'
import { problemsIn } from '../api/problem-at.ts'
import { useWrite } from '../api/use-write.ts'
import { Field } from '../ui/field.tsx'
import { Choice } from '../ui/forms/choice.tsx'
import { FormDialog } from '../ui/forms/form-dialog.tsx'

export type Invited = { email: string; link: string }

export function InviteDialog({ onDone, onClose }: { onDone(made: Invited): void; onClose(): void }) {
  const invite = useWrite({
    send: (body: { email: string; role: Role }, headers) => api.members.invite({ body, headers }),
    refresh: [invitationsQuery.queryKey],
    onDone: ({ invitation, link }) => onDone({ email: invitation.email, link }),
  })
  const { at, rest } = problemsIn(invite.error, ['email', 'role'])
  const send = (form: FormData) =>
    invite.mutate({ email: String(form.get('email')).trim(), role: String(form.get('role')) as Role })
  return (
    <FormDialog
      title="Invite somebody"
      note="You get a link to send them. It works once."
      verb="Make the link"
      busy={invite.isPending}
      error={rest}
      onSend={send}
      onClose={onClose}
    >
      <Field label="Email" name="email" type="email" required autoComplete="off" autoFocus problem={at.email ?? null} />
      <Choice
        label="Role"
        name="role"
        defaultValue="developer"
        choices={ROLES.map((value) => ({ value, label: value }))}
        hint="The tab Roles has what each of them may do."
        problem={at.role}
      />
    </FormDialog>
  )
}
