import { useState } from 'react'
import { api } from '../api/client.ts'
import { problemsIn } from '../api/problem-at.ts'
import { useWrite } from '../api/use-write.ts'
import { Confirm } from '../ui/confirm.tsx'
import { FormDialog } from '../ui/forms/form-dialog.tsx'
import { TextArea } from '../ui/forms/text-area.tsx'
import { textIn } from '../ui/forms/text-in.ts'
import { GatedButton } from '../ui/gated-button.tsx'
import { Card } from '../ui/page.tsx'
import { Section } from '../ui/section.tsx'

/** Of an app that belongs to the organization itself; where there is none, the server says so. */
export function AppSecrets({ reason }: { reason: string | null }) {
  const [open, setOpen] = useState<'hook' | 'key' | null>(null)
  const [done, setDone] = useState<string | null>(null)
  const close = (said: string | null = null) => {
    setOpen(null)
    setDone(said)
  }
  return (
    <Section title="Secrets of your own app" note="Where the organization has made an app of its own at the git host.">
      <Card className="p-4">
        <div className="flex flex-wrap gap-2">
          <GatedButton reason={reason} onClick={() => setOpen('hook')}>
            Draw another hook secret
          </GatedButton>
          <GatedButton reason={reason} onClick={() => setOpen('key')}>
            Use another private key
          </GatedButton>
        </div>
        {done && (
          <p role="status" className="mt-3 text-ok">
            {done}
          </p>
        )}
      </Card>
      {open === 'hook' && <HookSecret onClose={close} />}
      {open === 'key' && <AppKey onClose={close} />}
    </Section>
  )
}

type Props = { onClose(said?: string): void }

function HookSecret({ onClose }: Props) {
  const rotate = useWrite({
    send: (_, headers) => api.githostSettings.rotateHookSecret({ body: {}, headers }),
    refresh: [['githost']],
    onDone: ({ slug, oldUntil }) =>
      onClose(`${slug} has another secret. The one before it is taken until ${new Date(oldUntil).toLocaleString()}.`),
  })
  return (
    <Confirm
      open
      title="Draw another hook secret?"
      consequences={[
        'It is set at the git host and here. Nobody has to copy it.',
        'Deliveries with the secret before it are taken for a while as well, so none is lost.',
      ]}
      verb="Draw another"
      busy={rotate.isPending}
      error={rotate.error}
      onConfirm={() => rotate.mutate()}
      onClose={() => onClose()}
    />
  )
}

function AppKey({ onClose }: Props) {
  const set = useWrite({
    send: (privateKey: string, headers) => api.githostSettings.setKey({ body: { privateKey }, headers }),
    refresh: [['githost']],
    onDone: ({ slug }) => onClose(`${slug} uses the new key. Delete the old one at the git host.`),
  })
  const { at, rest } = problemsIn(set.error, ['privateKey'])
  return (
    <FormDialog
      title="Use another private key"
      note="Make one on the page of the app at the git host. It is tried there before it is used here."
      verb="Try and use it"
      busy={set.isPending}
      error={rest}
      onSend={(form) => set.mutate(textIn(form, 'privateKey') ?? '')}
      onClose={() => onClose()}
    >
      <TextArea
        label="Private key"
        name="privateKey"
        required
        rows={8}
        placeholder="-----BEGIN RSA PRIVATE KEY-----"
        problem={at.privateKey}
      />
    </FormDialog>
  )
}
