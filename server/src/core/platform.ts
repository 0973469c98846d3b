import type { CloudPassage } from '../drivers/cloud-forward/passage.ts'
import type { Links } from './access/links.ts'
import type { People } from './access/people.ts'
import type { Denials } from './audit/denials.ts'
import type { LinkChecks } from './cloud/link-checks.ts'
import type { LinkParts } from './cloud/parts.ts'
import type { Relayed } from './cloud/relay/parts.ts'
import type { ActiveReleases } from './deployments/events/active-releases.ts'
import type { Feeds } from './deployments/events/feed.ts'
import type { History } from './deployments/events/history/history.ts'
import type { LiveRedactors } from './deployments/events/live-redactors.ts'
import type { Redactors } from './deployments/events/redact/redactors.ts'
import type { DeployParts } from './deployments/parts.ts'
import type { ServingLooks } from './deployments/verbs/project/serving-looks.ts'
import type { CertificateParts } from './domains/certificates/parts.ts'
import type { LinkedCloud } from './githost/broker/ask-cloud.ts'
import type { Relays } from './githost/relay/relays.ts'
import type { InstallationTokens } from './githost/tokens.ts'
import type { Claims } from './idempotency/claims.ts'
import type { Instance } from './instance/guard.ts'
import type { ScanSemaphore } from './migration/scan-semaphore.ts'
import type { BaseParts } from './parts.ts'
import type { MayLink } from './projects/may-link.ts'
import type { SshKeys } from './servers/ssh-keys.ts'
import type { TokenUse } from './tokens/use.ts'
import type { RemoteTrees } from './uploads/remote-trees.ts'

/** All parts of all nouns, as wiring joins them for requests. For `http` and `process`: a noun asks for what it needs, and not for this. */
export type Platform = BaseParts & {
  /** Who this installation is: asked before anything is deleted. */
  instance: Instance
  people: People
  tokenUse: TokenUse
  denials: Denials
  claims: Claims
  sshKeys: SshKeys
  mayLink: MayLink
  history: History
  feeds: Feeds
  activeReleases: ActiveReleases
  redactors: Redactors
  liveRedactors: LiveRedactors
  servingLooks: ServingLooks
  scans: ScanSemaphore
  remoteTrees: RemoteTrees
  githostTokens: InstallationTokens
  /** The way to hosted clouds. */
  cloudPassage: CloudPassage
  linkChecks: LinkChecks
  /** What linked instances hear of the git host; what is done here with what a cloud relays. */
  relays: Relays
  relayed: Relayed
  links: Links
  linkedCloud: LinkedCloud
  forgetLinked: LinkParts['forgetLinked']
}

/** What a process has that runs deployments and looks after names, beyond one that only answers. */
export type WorkerParts = Platform & DeployParts & CertificateParts
