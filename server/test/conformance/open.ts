import type { OpenArea } from './statement.ts'

/** What the interface says of parts that are not built yet. */
export const OPEN: OpenArea[] = [
  {
    title: 'Backup policies',
    open: [
      { id: 'policy.archives', says: 'Backup policies write archives to destinations.' },
      { id: 'policy.destination-in-use', says: 'Deleting a destination that a policy uses: 409.' },
    ],
  },
]
