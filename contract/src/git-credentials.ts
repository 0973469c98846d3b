import { z } from 'zod'

const username = z
  .string()
  .max(200)
  .regex(/^[\x21-\x39\x3b-\x7e]+$/, 'must be printable and without a colon')
const token = z
  .string()
  .max(4000)
  .regex(/^[\x21-\x7e]+$/, 'must be printable characters without spaces')
const hostKey = z
  .string()
  .trim()
  .max(5000)
  .regex(
    /^(?:[^\s#|@]\S* +)?(?:ssh|ecdsa|sk)-[a-z0-9@.-]+ +[A-Za-z0-9+/]+={0,2}(?: [^\r\n]*)?$/,
    'must be a line such as "ssh-ed25519 AAAA…", as ssh-keyscan prints it',
  )
  .meta({ example: 'git.example.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB2sQ7m0uWmI0nQ1tQHn0Xr7v3b7p4wWl1lY4mXQ3m9k' })

/** How a private repository is read. Goes in, and never comes out again. */
export const NewGitCredential = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.literal('token'),
      token,
      username: username.optional().meta({ description: 'where the host wants a certain one' }),
    }),
    z.object({
      kind: z.literal('key'),
      privateKey: z
        .string()
        .max(20_000)
        .optional()
        .meta({ description: 'without a passphrase; left out: the key that is there stays, or Slipway makes a pair' }),
      hostKeys: z.array(hostKey).min(1).max(20).meta({ description: 'the host is trusted only with one of these' }),
    }),
  ])
  .meta({ id: 'NewGitCredential', description: 'bound to the host of `repository`: another host never gets to see it' })
export type NewGitCredential = z.output<typeof NewGitCredential>

/** What may be known about a stored one. */
export const GitCredential = z
  .object({
    kind: z.enum(['token', 'key']),
    username: z.string().nullable(),
    publicKey: z.string().nullable().meta({ description: 'to be registered as a deploy key of the repository' }),
    fingerprint: z.string().nullable(),
    hostKeys: z.array(z.string()),
  })
  .meta({ id: 'GitCredential' })
export type GitCredential = z.output<typeof GitCredential>
