/** A column whose values are sealed, and how each of them knows where it lives. */
export type SealedColumn = {
  table: string
  /** Of the primary key. */
  key: readonly string[]
  column: string
  /** Where the column is JSON: the member that is sealed. */
  member?: string
  /** For which place a value is sealed, from the texts of its row's key. */
  place(...key: string[]): string
}

const byId = (table: string, column: string, name = column): SealedColumn => ({
  table,
  key: ['id'],
  column,
  place: (id) => `${table}/${id}/${name}`,
})
const ofDestination = (column: string) => byId('backup_destination', column)
/** A step keeps what it froze, sealed for the deployment whose run it is. */
const inStep = (member: string, name: string): SealedColumn => ({
  table: 'run_step',
  key: ['run_id', 'name'],
  column: 'output',
  member,
  place: (runId) => `deployment/${runId}/${name}`,
})

/**
 * Everything that is sealed, anywhere. What is missing here would be lost when an old key is dropped, so a test looks for
 * every place that the code seals for.
 */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  byId('variable', 'value'),
  byId('project', 'git_credential'),
  byId('server', 'private_key'),
  byId('server', 'passphrase'),
  byId('deployment', 'release'),
  byId('deployment', 'overrides'),
  inStep('sealed', 'release'),
  inStep('blueprint', 'blueprint'),
  {
    table: 'idempotency',
    key: ['org_id', 'credential_id', 'key'],
    column: 'response',
    place: (...key) => ['idempotency', ...key].join('/'),
  },
  byId('acme_account', 'key_sealed', 'key'),
  byId('certificate', 'pem_sealed', 'pem'),
  ofDestination('access_key_id'),
  ofDestination('secret_access_key'),
  ofDestination('sftp_password'),
  ofDestination('sftp_private_key'),
  ofDestination('sftp_key_passphrase'),
  byId('registry', 'password'),
  byId('mail', 'text'),
  { table: 'cloud_link', key: ['org_id'], column: 'credential', place: (org) => `cloud_link/${org}/credential` },
  { table: 'link_attempt', key: ['org_id'], column: 'secret', place: (org) => `link_attempt/${org}/secret` },
  byId('githost_app', 'private_key'),
  byId('githost_app', 'client_secret'),
  byId('githost_app', 'hook_secret'),
  byId('githost_app', 'old_hook_secret'),
  byId('githost_account', 'token'),
  byId('githost_account', 'refresh_token'),
  byId('githost_attempt', 'secret'),
  byId('githost_attempt', 'return_to'),
  byId('githost_hook', 'secret'),
  {
    table: 'adopted_service',
    key: ['project_id', 'name'],
    column: 'plan',
    place: (project, name) => `adopted_service/${project}/${name}/plan`,
  },
]
