import { DriverFailure } from '../../errors.ts'
import type { RegistryLogin } from '../engine/registry-login.ts'
import type { MayConnect } from '../ssh/lookup.ts'

export type LoginCheck = {
  /** Asked with every address that is connected to. */
  mayConnect: MayConnect
  /** The same, for what is sent without TLS. */
  mayConnectPlain: MayConnect
  signal: AbortSignal
  deadlineMs?: number
}

export interface RegistryDoor {
  /** Returns when the registry takes the login; otherwise a RegistryFailure says why it does not. */
  check(login: RegistryLogin, options: LoginCheck): Promise<void>
}

export type RegistryFailureCode =
  | 'login_refused'
  | 'asks_nobody'
  | 'no_registry'
  | 'token_server_refused'
  | 'address_refused'
  | 'name_not_found'
  | 'tls'
  | 'unreachable'
  | 'timeout'

export type RegistryFailure = DriverFailure<'registry', RegistryFailureCode>

export const registryFailure = (code: RegistryFailureCode, message: string, cause?: unknown): RegistryFailure =>
  new DriverFailure('registry', code, message, { hint: hints[code], cause })

const hints: Record<RegistryFailureCode, string> = {
  login_refused: 'Check the user name and the password. Many registries want an access token in place of the password.',
  asks_nobody: 'Its images can be deployed without a credential.',
  no_registry: 'Check the host: it is what stands before the first slash in the names of its images.',
  token_server_refused: 'Ask whoever runs the registry; its settings name where tokens are to be had.',
  address_refused:
    'Use a host with another address. Whoever runs this instance can open a network with SLIPWAY_ALLOWED_NETWORKS.',
  name_not_found: 'Check the spelling of the host.',
  tls: 'Check its certificate. One of an authority of your own is trusted with SLIPWAY_TLS_CA_FILE.',
  unreachable: 'Check that the registry runs and that this machine can reach it.',
  timeout: 'Try again; a firewall that drops packets looks exactly like this.',
}
