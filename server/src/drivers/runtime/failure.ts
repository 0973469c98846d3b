import { DriverFailure } from '../../errors.ts'
export type RuntimeFailureCode =
  | 'spec_refused'
  | 'update_running'
  | 'service_missing'
  | 'name_taken'
  | 'in_use'
  | 'image_missing'
  | 'image_denied'
  | 'registry_unreachable'
  | 'disk_full'
  | 'engine_taken'
  | 'volume_unsafe'
  | 'volume_gone'
  | 'port_taken'
  | 'engine_foreign'
  | 'still_stopping'

/** The engine works, but what was asked cannot be done. */
export type RuntimeFailure = DriverFailure<'runtime', RuntimeFailureCode>

export const runtimeFailure = (code: RuntimeFailureCode, message: string, cause?: unknown): RuntimeFailure =>
  new DriverFailure('runtime', code, message, { hint: hints[code], cause })

const hints: Record<RuntimeFailureCode, string> = {
  spec_refused: 'Change the setting that is named and deploy again.',
  update_running: 'Wait until the running rollout has ended, or cancel it.',
  service_missing: 'Deploy the service first.',
  name_taken: 'Remove or rename what has this name on the server; Slipway did not make it.',
  in_use: 'Stop what still uses it first.',
  image_missing: 'Check the name and the tag of the image, and the platforms it is made for.',
  image_denied:
    'Check the name. For a private image save a credential of its registry first: `slipway registries add`, or POST /api/registries.',
  registry_unreachable:
    'Check the name of the registry and that the server can reach it, or load the image on the server.',
  disk_full: 'Free some space on the server: old images and build cache are the first to look at.',
  port_taken: 'Choose another port of the server, or remove the service that has it.',
  volume_unsafe:
    'Look at it on the server (docker volume inspect), save what belongs to the project, remove the volume and deploy again.',
  volume_gone:
    'It was to be used where it is, so none is made in its place. Bring it back on the server, then deploy again.',
  engine_taken: 'Use another server. The other organization frees this one by removing it from its own servers.',
  still_stopping:
    'Look at the containers of the server (docker ps): end the one that does not stop (docker kill), then deploy again.',
  engine_foreign:
    'Use another server. If the other instance is gone for good, whoever runs this one takes the server over with `slipway-server admin instance adopt --server ID`.',
}
