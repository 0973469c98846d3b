import { readFile } from 'node:fs/promises'
import type { Config } from '../config.ts'
import type { AuthorityParts } from '../core/domains/certificates/parts.ts'
import { isNamed, mayConnect } from '../core/networks/may-connect.ts'
import { acmeClient } from '../drivers/acme/client.ts'
import { newKey } from '../drivers/acme/key.ts'
import { httpCloud } from '../drivers/cloud/http-cloud.ts'
import type { DnsChallenges } from '../drivers/dns-update/dns-update.ts'
import { httpreq } from '../drivers/dns-update/httpreq.ts'
import { rfc2136 } from '../drivers/dns-update/rfc2136.ts'
import { smtpDoor } from '../drivers/mail/smtp.ts'

/** What the operator may name outside, or leave out: a mail server, a cloud, an authority. For wiring alone. */
export function mailDoorOf({ mail }: Config) {
  return mail && smtpDoor({ url: mail.url, from: mail.from, extraRoots: () => rootsIn(mail.caFile) })
}

/** A cloud itself works with no other. */
export function cloudDoorOf(config: Config) {
  const { mode, cloudUrl: url, cloudCaFile } = config
  if (mode === 'cloud' || url === null) return null
  const guards = { mayConnect: mayConnect(config), mayConnectPlain: isNamed(config) }
  return httpCloud({ url, ...guards, extraRoots: () => rootsIn(cloudCaFile) })
}

export function authorityOf({ acme, dnsUpdate, dnsServers }: Config): AuthorityParts {
  const { directoryUrl = '', caFile = null, eab = null, contact = null } = acme ?? {}
  const target = async () => ({
    directoryUrl,
    ...(caFile !== null && { roots: await readFile(caFile, 'utf8') }),
    ...(eab !== null && { eab }),
  })
  const told = contact === null ? [] : [`mailto:${contact}`]
  const dns = dnsUpdate && challengesOf(dnsUpdate, dnsServers)
  return { enabled: acme !== null, client: acmeClient(), target, contact: told, newKey, dns }
}

const challengesOf = (by: NonNullable<Config['dnsUpdate']>, resolvers: string[] | null): DnsChallenges =>
  'url' in by ? httpreq({ ...by, resolvers }) : rfc2136({ server: by.server, tsig: by.key, resolvers })

export const rootsIn = async (file: string | null) => (file === null ? [] : [await readFile(file, 'utf8')])
