import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { HostName, NameOrWildcard } from './host-names.ts'
import { timestamp } from './ids.ts'

export const SSL_STATES = {
  valid: 'trusted, for this name, with time left',
  expiring: 'valid, with less than a third of its life or two weeks left; of a short life, less than the half',
  expired: 'out of its time',
  self_signed: 'from no authority that is trusted here',
  mismatch: 'for other names',
  missing: 'no certificate: nothing listens, it does not speak TLS, or it has none for this name',
  unreachable: 'no answer: the name leads nowhere, or whoever is there is silent',
} as const

const meaning = Object.entries(SSL_STATES).map(([state, means]) => `${state}: ${means}`)

export const SslStatus = z
  .object({
    success: z.literal(true),
    domain: z.string(),
    state: z
      .enum(Object.keys(SSL_STATES) as [keyof typeof SSL_STATES, ...(keyof typeof SSL_STATES)[]])
      .meta({ description: meaning.join('; ') }),
    issuer: z.string().nullable(),
    subject: z.string().nullable(),
    altNames: z.array(z.string()).meta({ description: 'the names it is for' }),
    validFrom: timestamp.nullable(),
    validTo: timestamp.nullable(),
    daysLeft: z.number().int().nullable().meta({ description: 'whole days; negative after the end' }),
    fingerprint256: z.string().nullable(),
    dns: z.object({
      resolves: z.boolean(),
      addresses: z.array(z.string()),
      pointsHere: z.boolean().meta({ description: 'whether one of them is of a server of the organization' }),
    }),
    managed: z.boolean().meta({ description: 'whether the name is of a project of the organization' }),
    lastError: z.string().nullable().meta({ description: 'everything that is wrong, in sentences' }),
  })
  .meta({ id: 'SslStatus' })
export type SslStatus = z.output<typeof SslStatus>

export const sslStatus = endpoint({
  method: 'POST',
  path: '/api/deployments/ssl/status',
  summary: 'The certificate that a domain shows to strangers at this moment, and where its name leads',
  access: { permission: 'deployment:read' },
  body: z.object({ domain: HostName }),
  response: SslStatus,
  example: { domain: 'shop.example.com' },
  neverKept: true,
  unaudited: 'it only looks: one lookup, one handshake, and nothing is written',
})

const Renewed = z
  .object({ success: z.literal(true), domain: z.string(), validTo: timestamp, issuer: z.string() })
  .meta({ id: 'Renewed' })

export const sslRenew = endpoint({
  method: 'POST',
  path: '/api/deployments/ssl/renew',
  summary:
    "Get a new certificate for a domain of the organization; answers after the CA did, with the CA's own reason if it refuses",
  access: { permission: 'deployment:write' },
  body: z.object({
    domain: NameOrWildcard,
    force: z
      .boolean()
      .default(false)
      .meta({ description: 'also within an hour of the last time, or while the CA asked to wait' }),
  }),
  response: Renewed,
  example: { domain: 'shop.example.com' },
})
