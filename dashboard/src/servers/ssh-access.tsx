import type { Server } from '@slipway/contract/servers'
import { type FormEvent, useState } from 'react'
import { problemsIn } from '../api/problem-at.ts'
import { useMay } from '../api/use-may.ts'
import { Command } from '../setup/command.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Field } from '../ui/field.tsx'
import { GatedButton } from '../ui/gated-button.tsx'
import { Card, Code } from '../ui/page.tsx'
import { Refused } from '../ui/refused.tsx'
import { Fact, Facts, Section } from '../ui/section.tsx'
import { installCommand, readHostKey, SHOW_KEY } from './host-key.ts'
import { usePinKey } from './use-pin-key.ts'

/** Who we are there, and who the server is: both keys, before and after the first check. */
export function SshAccess({ server }: { server: Server }) {
  const { publicKey, hostKey } = server
  return (
    <Section title="SSH" note={hostKey ? undefined : 'Two things before the first check.'}>
      <Card>
        <Facts>
          {publicKey && (
            <Fact term="Our public key">
              <div className="flex items-start gap-2">
                <code className="min-w-0 flex-1 pt-1.5 font-mono text-xs break-all">{publicKey}</code>
                <CopyButton text={publicKey} label="Copy the public key" />
              </div>
              <p className="mt-2 mb-1.5 text-xs text-faint">
                Put there by one command, from a machine that can sign in to it:
              </p>
              <Command text={installCommand(server)} />
            </Fact>
          )}
          <Fact term="Its host key">{hostKey ? <Pinned hostKey={hostKey} /> : <Unpinned server={server} />}</Fact>
        </Facts>
      </Card>
    </Section>
  )
}

function Pinned({ hostKey }: { hostKey: string }) {
  return (
    <>
      <div className="flex items-start gap-2">
        <code className="min-w-0 flex-1 pt-1.5 font-mono text-xs break-all">{hostKey}</code>
        <CopyButton text={hostKey} label="Copy the host key" />
      </div>
      <p className="mt-1 text-xs text-faint text-pretty">
        Pinned: a server that shows another key is not spoken to. <Code>{SHOW_KEY}</Code> prints it there.
      </p>
    </>
  )
}

/** What the console of the server says is compared by machine: only that key is taken, and nothing is sent to another. */
function Unpinned({ server }: { server: Server }) {
  const [typed, setTyped] = useState('')
  const [isSaid, setSaid] = useState(false)
  const may = useMay()
  const pin = usePinKey(server)
  const hostKey = readHostKey(typed)
  const { at, rest } = problemsIn(pin.error, ['hostKey'])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setSaid(true)
    if (hostKey) pin.mutate(hostKey)
  }
  return (
    <form onSubmit={submit} className="space-y-3">
      <p className="text-soft text-pretty">
        The first check that succeeds pins the key that the server shows. To be sure that it is this server, and nobody
        in between, say first what it prints on its own console:
      </p>
      <Command text={SHOW_KEY} />
      <Field
        label="What it prints"
        value={typed}
        autoComplete="off"
        spellCheck={false}
        placeholder="256 SHA256:… root@fra-1 (ED25519)"
        problem={isSaid && !hostKey ? 'That is no fingerprint as ssh-keygen -l prints it.' : (at.hostKey ?? null)}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <Refused error={rest} />
      <GatedButton type="submit" reason={may('server:write')} busy={pin.isPending}>
        Take this key and no other
      </GatedButton>
    </form>
  )
}
