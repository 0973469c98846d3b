import * as k from './kinds.ts'
import { service } from './service.ts'

const external: k.Shape = k.either(k.flag, k.dict({ name: k.text }))
const driverOptions = k.options('text', 'number')

const network = k.dict(
  {
    name: k.text,
    driver: k.text,
    driver_opts: driverOptions,
    ipam: k.dict({
      driver: k.text,
      config: k.list(
        k.dict({ subnet: k.text, ip_range: k.text, gateway: k.text, aux_addresses: k.named(/.+/s, k.text) }),
      ),
      options: k.named(/.+/s, k.text),
    }),
    external,
    internal: k.flag,
    enable_ipv4: k.kept(k.flag),
    enable_ipv6: k.kept(k.flag),
    attachable: k.flag,
    labels: k.pairs,
  },
  { nullable: true },
)

const volume = k.dict(
  { name: k.text, driver: k.text, driver_opts: driverOptions, external, labels: k.pairs },
  { nullable: true },
)

const secret = k.dict({
  name: k.text,
  environment: k.text,
  file: k.text,
  external,
  labels: k.pairs,
  driver: k.text,
  driver_opts: driverOptions,
  template_driver: k.text,
})

const config = k.dict({
  name: k.text,
  content: k.text,
  environment: k.text,
  file: k.text,
  external,
  labels: k.pairs,
  template_driver: k.text,
})

const include = k.either(
  k.text,
  k.dict({ path: k.textOrTexts, env_file: k.textOrTexts, project_directory: k.text }, { open: false }),
)

/** A whole compose file. */
export const composeFile = k.dict({
  version: k.text,
  name: k.text,
  include: k.list(include),
  services: k.named(k.NAME, service),
  networks: k.named(k.NAME, network),
  volumes: k.named(k.NAME, volume),
  secrets: k.named(k.NAME, secret),
  configs: k.named(k.NAME, config),
})
