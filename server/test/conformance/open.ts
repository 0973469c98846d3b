import type { OpenArea, Statement } from './statement.ts'

const at =
  (prefix: string) =>
  (id: string, route: string, says: string): Statement => ({ id: `${prefix}.${id}`, route, says })
const migration = at('migration')

/** What the interface says of parts that are not built yet. */
export const OPEN: OpenArea[] = [
  {
    title: 'Server migration',
    open: [
      migration('adopt', 'POST /api/migration/adopt', 'makes a project of the named services; server:write.'),
      {
        id: 'migration.adopt-looks',
        says: 'Adopting looks at the server again; what the client says of services is not believed.',
      },
      { id: 'migration.adopt-volumes', says: 'Adopting uses named volumes where they are, and deploys nothing.' },
      { id: 'migration.fields', says: 'Without `serverId`, `projectName` or a service: 400 that names the field.' },
      {
        id: 'migration.unreachable',
        says: 'A server whose engine cannot be asked, or adopting that fails: 502 with the reason.',
      },
    ],
  },
  {
    title: 'Hosted cloud',
    open: [
      { id: 'cloud.forward', says: 'Routes of a deployment of a cloud project are passed on to the hosted cloud.' },
      {
        id: 'cloud.promote',
        says: '`deployTarget: cloud` on a self-hosted instance promotes the project to the cloud.',
      },
    ],
  },
  {
    title: 'Backup policies',
    open: [
      { id: 'policy.archives', says: 'Backup policies write archives to destinations.' },
      { id: 'policy.destination-in-use', says: 'Deleting a destination that a policy uses: 409.' },
    ],
  },
]
