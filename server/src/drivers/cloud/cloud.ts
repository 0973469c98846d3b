import { DriverFailure } from '../../errors.ts'

/** Who asks to be linked. */
type Asking = { challenge: string; instance: { id: string; name: string } }

/** What a person gets to see, and when to ask what they decided. */
export type Asked = {
  /** A secret, like the verifier. */
  requestId: string
  userCode: string
  verifyUrl: string
  expiresInSeconds: number
  intervalSeconds: number
}

export type Fetched =
  /** `link` is null where the cloud took us for a command line: the credential is then nothing that we asked for. */
  | { kind: 'granted'; credential: string; link: { id: string; orgId: string; orgName: string } | null }
  | { kind: 'pending' }
  /** From now on wait for so long between two questions. */
  | { kind: 'slow_down'; seconds: number | null }
  | { kind: 'denied' }
  | { kind: 'expired' }
  /** It was given before, and has ended there: the first answer did not arrive. */
  | { kind: 'spent' }

/** The hosted cloud that this instance works with. Each call ends by itself within seconds; what fails is a CloudFailure. */
export interface CloudDoor {
  /** Device authorization (RFC 8628), for a link. */
  ask(asking: Asking): Promise<Asked>
  fetchCredential(secrets: { requestId: string; verifier: string }): Promise<Fetched>
  /** Whether it lets anybody in with this credential. */
  takes(credential: string): Promise<boolean>
  /** Returns when the link of this credential has ended there, or had before. */
  endLink(credential: string): Promise<void>
  /** The same, for a credential that is no link's. */
  endToken(credential: string): Promise<void>
}

export type CloudFailureCode = 'cloud_unreachable' | 'address_refused' | 'cloud_untrusted' | 'no_cloud'
export type CloudFailure = DriverFailure<'cloud', CloudFailureCode>

/** Without the words of the cloud: what it says may repeat what it was told, and that opens an organization. */
export const cloudFailure = (code: CloudFailureCode, message: string): CloudFailure =>
  new DriverFailure('cloud', code, message, { hint: hints[code] })

const hints: Record<CloudFailureCode, string> = {
  cloud_unreachable: 'Try again later; nothing here depends on it.',
  address_refused: 'Whoever runs this instance can open a network with SLIPWAY_ALLOWED_NETWORKS.',
  cloud_untrusted: 'Check its certificate. One of an authority of your own is trusted with SLIPWAY_CLOUD_CA_FILE.',
  no_cloud: 'Check the address in SLIPWAY_CLOUD_URL.',
}
