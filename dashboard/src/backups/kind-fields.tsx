import type { BackupDestination, DestinationKind } from '@slipway/contract/backup-destinations'
import { useQuery } from '@tanstack/react-query'
import { serversQuery } from '../api/queries.ts'
import { Field } from '../ui/field.tsx'
import { Choice } from '../ui/forms/choice.tsx'
import { SecretField } from '../ui/forms/secret-field.tsx'
import type { FieldName } from './read-form.ts'

type Problems = Partial<Record<FieldName, string>>
type Props = { opened: BackupDestination | null; at: Problems }

/** What each kind has of its own. */
export function KindFields({ kind, ...props }: Props & { kind: DestinationKind }) {
  switch (kind) {
    case 's3_compatible':
      return <BucketFields {...props} />
    case 'sftp':
      return <SftpFields {...props} />
    case 'platform_server':
      return <ServerField {...props} />
    case 'local':
      return (
        <Field
          label="Folder"
          name="endpoint"
          required
          placeholder="/srv/backups/shop"
          defaultValue={props.opened?.endpoint ?? ''}
          hint="Inside of the folder that whoever runs the instance has set for it."
          problem={props.at.endpoint ?? null}
        />
      )
  }
}

function BucketFields({ opened, at }: Props) {
  return (
    <>
      <Field label="Bucket" name="bucket" required defaultValue={opened?.bucket ?? ''} problem={at.bucket ?? null} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label="Endpoint"
          name="endpoint"
          inputMode="url"
          placeholder="https://…"
          defaultValue={opened?.endpoint ?? ''}
          hint="Empty: Amazon itself."
          problem={at.endpoint ?? null}
        />
        <Field label="Region" name="region" defaultValue={opened?.region ?? ''} problem={at.region ?? null} />
      </div>
      <SecretField
        label="Access key"
        name="accessKeyId"
        required
        isSet={opened?.hasAccessKeyId ?? false}
        problem={at.accessKeyId}
      />
      <SecretField
        label="Secret key"
        name="secretAccessKey"
        required
        isSet={opened?.hasSecretAccessKey ?? false}
        problem={at.secretAccessKey}
      />
    </>
  )
}

function SftpFields({ opened, at }: Props) {
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-[minmax(0,1fr)_6rem]">
        <Field label="Host" name="sshHost" required defaultValue={opened?.sshHost ?? ''} problem={at.sshHost ?? null} />
        <Field
          label="Port"
          name="sshPort"
          type="number"
          min={1}
          max={65535}
          defaultValue={opened?.sshPort ?? 22}
          problem={at.sshPort ?? null}
        />
      </div>
      <Field
        label="User"
        name="sshUser"
        required
        autoComplete="off"
        defaultValue={opened?.sshUser ?? ''}
        problem={at.sshUser ?? null}
      />
      <SecretField
        label="Password"
        name="sftpPassword"
        canGo
        isSet={opened?.hasSftpPassword ?? false}
        hint="This, or a private key."
        problem={at.sftpPassword}
      />
      <SecretField
        label="Private key"
        name="sftpPrivateKey"
        canGo
        long
        isSet={opened?.hasSftpPrivateKey ?? false}
        problem={at.sftpPrivateKey}
      />
      <SecretField
        label="Passphrase of the key"
        name="sftpKeyPassphrase"
        canGo
        isSet={opened?.hasSftpKeyPassphrase ?? false}
        problem={at.sftpKeyPassphrase}
      />
      <Field
        label="Host key"
        name="hostKey"
        defaultValue={opened?.hostKey ?? ''}
        placeholder="ssh-ed25519 SHA256:…"
        hint="Empty: the first check that goes well pins the one it finds."
        problem={at.hostKey ?? null}
      />
    </>
  )
}

function ServerField({ opened, at }: Props) {
  const { data: servers = [] } = useQuery(serversQuery)
  return (
    <Choice
      key={servers.length}
      label="Server"
      name="serverId"
      defaultValue={opened?.serverId ?? ''}
      choices={servers.map(({ id, name }) => ({ value: id, label: name }))}
      hint={servers.length === 0 ? 'There is no server yet.' : 'Over the connection that is there already.'}
      problem={at.serverId}
    />
  )
}
