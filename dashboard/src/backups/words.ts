import type { BackupDestination, DestinationKind } from '@slipway/contract/backup-destinations'

export const KIND_WORDS: Record<DestinationKind, string> = {
  s3_compatible: 'Bucket (S3)',
  sftp: 'SFTP server',
  platform_server: 'Server of yours',
  local: 'Folder of this machine',
}

/** Where it is, as one would write it down. */
export function placeOf(destination: BackupDestination, serverName: string | undefined): string {
  const { kind, endpoint, bucket, sshHost, sshPort, sshUser, pathPrefix } = destination
  const below = pathPrefix ? `/${pathPrefix.replace(/^\//, '')}` : ''
  switch (kind) {
    case 's3_compatible':
      return `${endpoint ? `${endpoint.replace(/\/$/, '')}/` : 's3://'}${bucket}${below}`
    case 'sftp':
      return `${sshUser}@${sshHost}${sshPort && sshPort !== 22 ? `:${sshPort}` : ''}${pathPrefix ? ` ${pathPrefix}` : ''}`
    case 'platform_server':
      return `${serverName ?? 'a server'}${below}`
    case 'local':
      return `${endpoint}${below}`
  }
}
