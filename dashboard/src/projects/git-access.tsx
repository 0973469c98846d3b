import type { Project } from '@slipway/contract/projects'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { useMay } from '../api/use-may.ts'
import { useWrite } from '../api/use-write.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { GatedButton } from '../ui/gated-button.tsx'
import { Card } from '../ui/page.tsx'
import { Section } from '../ui/section.tsx'
import { GitAccessForm } from './git-access-form.tsx'

/** How a private repository is read. A secret goes in and never comes out; of a key the public half is shown. */
export function GitAccess({ project }: { project: Project }) {
  const [over, setOver] = useState<'set' | 'forget' | null>(null)
  const reason = useMay()('project:write')
  const close = () => setOver(null)
  if (!project.repository) return null
  const { gitCredential } = project
  return (
    <Section title="Access to the repository" note="Where it is private, and no connection to a git host reads it.">
      <Card className="flex flex-wrap items-start gap-x-4 gap-y-3 p-4">
        <div className="min-w-0 flex-1 basis-60">
          <Stored credential={gitCredential} />
        </div>
        <GatedButton reason={reason} onClick={() => setOver('set')}>
          {gitCredential ? 'Replace' : 'Set a credential'}
        </GatedButton>
        {gitCredential && (
          <Button disabled={reason !== null} onClick={() => setOver('forget')}>
            Forget
          </Button>
        )}
      </Card>
      {over === 'set' && <GitAccessForm project={project} onClose={close} />}
      {over === 'forget' && <Forget project={project} onClose={close} />}
    </Section>
  )
}

function Stored({ credential }: { credential: Project['gitCredential'] }) {
  if (!credential) return <p className="text-soft">No credential is stored.</p>
  if (credential.kind === 'token')
    return <p>A token is stored{credential.username ? ` for ${credential.username}` : ''}. It is not shown.</p>
  return (
    <>
      <p>A key is stored. Register its public half as a deploy key of the repository:</p>
      {credential.publicKey && (
        <p className="mt-2 flex items-center gap-2 rounded-md border border-line bg-sunken pr-1 pl-3">
          <code className="min-w-0 flex-1 py-2 font-mono text-xs break-all">{credential.publicKey}</code>
          <CopyButton text={credential.publicKey} label="Copy the public key" />
        </p>
      )}
      {credential.fingerprint && (
        <p className="mt-1 font-mono text-xs break-all text-faint">{credential.fingerprint}</p>
      )}
    </>
  )
}

function Forget({ project, onClose }: { project: Project; onClose(): void }) {
  const forget = useWrite({
    send: () =>
      api.projects.update({
        params: { id: project.id },
        body: { gitCredential: null },
        headers: { 'if-match': `"${project.version}"` },
      }),
    refresh: [['project', project.id]],
    onDone: onClose,
  })
  return (
    <Confirm
      open
      title="Forget the credential?"
      consequences={[
        'It is gone for good. A private repository is not read any more, unless a connection to its git host does.',
        'What runs is not touched.',
      ]}
      verb="Forget"
      danger
      busy={forget.isPending}
      error={forget.error}
      onConfirm={() => forget.mutate()}
      onClose={onClose}
    />
  )
}
