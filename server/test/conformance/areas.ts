import { ACCESS, REFUSALS, SERVICE } from './access.ts'
import { ANSWERS } from './answers.ts'
import { CLOUD_FORWARD } from './cloud-forward.ts'
import { ENDPOINT_ENTRY, RESOURCE, SERVICE_ENTRY, STATES } from './deployment-resource.ts'
import { DEPLOYMENT_ROUTES } from './deployment-routes.ts'
import { DEPLOYMENT_VERBS } from './deployment-verbs.ts'
import { DESTINATIONS } from './destinations.ts'
import { GITHOST } from './githost.ts'
import { GITHOST_ATTEMPTS } from './githost-attempts.ts'
import { GITHOST_BROKER } from './githost-broker.ts'
import { LIFE } from './life.ts'
import { LINKS } from './links.ts'
import { MIGRATION } from './migration.ts'
import { NAMES } from './names.ts'
import { PERMISSIONS } from './permissions.ts'
import { PROMOTION } from './promotion.ts'
import { REGISTRIES } from './registries.ts'
import { RELAY } from './relay.ts'
import { ROLES } from './roles.ts'
import type { BuiltArea } from './statement.ts'
import { STORES } from './stores.ts'
import { SUPPORTING } from './supporting.ts'

/** What the interface says of what is served today. */
export const BUILT: BuiltArea[] = [
  { title: 'The service', statements: SERVICE },
  { title: 'Who may call', statements: ACCESS },
  { title: 'Refusals', statements: REFUSALS },
  { title: 'Permissions', paths: ['/api/deployments', '/api/backup-destinations'], statements: PERMISSIONS },
  { title: 'A deployment', statements: RESOURCE },
  { title: 'Public endpoints', statements: ENDPOINT_ENTRY },
  { title: 'Service entries', statements: SERVICE_ENTRY },
  { title: 'States of a deployment', statements: STATES },
  { title: 'Routes that begin a deployment', statements: DEPLOYMENT_ROUTES },
  { title: 'Routes of one deployment', statements: DEPLOYMENT_VERBS },
  { title: 'Deployments in the hosted cloud', statements: CLOUD_FORWARD },
  { title: 'Promotion to the hosted cloud', statements: PROMOTION },
  { title: 'Backup destinations', statements: DESTINATIONS },
  { title: 'What the interface leaves open', statements: [...LIFE, ...ANSWERS, ...NAMES, ...STORES, ...ROLES] },
  { title: 'Private registries', paths: ['/api/registries'], statements: REGISTRIES },
  { title: 'Supporting resources', statements: SUPPORTING },
  { title: 'The link to a hosted cloud', paths: ['/api/links', '/api/cloud/link'], statements: LINKS },
  { title: 'What a cloud relays', paths: ['/api/relay'], statements: RELAY },
  { title: 'Git host connection', statements: GITHOST },
  { title: 'Attempts on the git host connection', statements: GITHOST_ATTEMPTS },
  { title: 'The git host by way of the cloud', paths: ['/api/githost/broker'], statements: GITHOST_BROKER },
  { title: 'Server migration', statements: MIGRATION },
]
