import { access } from './access.ts'
import { byProofsOfData } from './by-proofs-of-data.ts'
import { byProofsOfDeploys } from './by-proofs-of-deploys.ts'
import { certificates } from './certificates.ts'
import { containers } from './containers.ts'
import { dashboard } from './dashboard.ts'
import { folders } from './folders.ts'
import { forward } from './forward.ts'
import { installing } from './installing.ts'
import type { Mutation } from './mutation.ts'
import { network } from './network.ts'
import { promote } from './promote.ts'
import { registries } from './registries.ts'
import { relay } from './relay.ts'
import { runs } from './runs.ts'
import { stored } from './stored.ts'

/** Faults that were seen to turn something red. What takes seconds comes first. */
export const mutations: Mutation[] = [
  ...access,
  ...dashboard,
  ...installing,
  ...stored,
  ...network,
  ...registries,
  ...relay,
  ...forward,
  ...promote,
  ...runs,
  ...containers,
  ...folders,
  ...certificates,
  ...byProofsOfData,
  ...byProofsOfDeploys,
]

/** Proofs that no fault here turns red, mostly because they take long: which faults break their promises, seen by tests. */
export const guardedByTests: Record<string, string[]> = {
  cancel: ['success-over-a-cancel', 'fence-not-checked'],
  'cancel-stack': ['success-over-a-cancel', 'back-to-what-was-interrupted'],
  cli: ['line-told-twice'],
  'compose-zero-downtime': ['old-one-stopped-first', 'back-to-what-was-interrupted'],
  crash: ['lost-answer-written-twice', 'fence-not-checked', 'fence-without-its-claim'],
  'crash-stack': ['lost-answer-written-twice', 'fence-not-checked', 'back-to-what-was-interrupted'],
  dashboard: ['line-shown-twice', 'stream-from-the-start'],
  'dashboard-drop': ['folder-sent-again', 'secrets-sent-along'],
  'dashboard-logs': ['line-shown-twice', 'stream-from-the-start'],
  'dashboard-weight': ['every-icon-there-is'],
  destinations: [],
  escape: ['volume-with-options', 'raw-packets', 'port-of-the-edge', 'path-out-of-the-volume'],
  fair: ['first-come-takes-all', 'share-of-no-organization', 'loud-organization-first'],
  forward: [
    ...['stub-of-any-organization', 'stub-of-any-organization-by-token', 'narrowed-token-in-the-cloud'],
    ...['lost-and-forgotten', 'gone-says-the-gateway', 'places-for-the-first'],
  ],
  'foreign-ids': ['server-by-its-id-alone'],
  fuzz: [],
  install: ['half-made-cluster-kept', 'settings-written-again'],
  isolation: ['cache-mounts-for-everybody', 'one-more-than-the-limit'],
  modes: ['route-of-the-other-mode'],
  move: ['archive-without-an-end', 'pieces-without-a-number'],
  'over-ssh': ['any-key-of-the-pinned-kind', 'lost-line-ends-a-rollout'],
  overhead: [],
  partial: ['healthy-because-the-engine-says-so'],
  promote: ['switched-before-it-is-ready', 'ids-from-anybody'],
  push: ['captured-delivery-again', 'paused-project-deploys', 'hook-tells-of-any-repository'],
  readme: [],
  registry: ['login-of-the-last-image', 'wrong-password-saved', 'path-by-its-letters'],
  relay: ['number-without-its-delivery', 'taken-without-the-lease', 'relayed-again-with-a-redelivery'],
  'scan-scale': [],
  stream: ['batch-stored-twice', 'whole-page-to-who-is-in-the-middle', 'news-missed-while-reading'],
  'tls-zero-downtime': ['old-one-stopped-first'],
  turns: ['first-come-takes-all', 'share-of-no-organization', 'loud-organization-first'],
  uninstall: ['everything-always-removed'],
  upgrade: ['old-version-ends-alone'],
  volumes: ['two-writers-of-a-volume'],
  'zero-downtime': ['old-one-stopped-first', 'two-writers-of-a-volume', 'healthy-at-the-first-look'],
}
