import { parseArgs } from 'node:util'
import { sendBackup } from './admin-backup.ts'
import { adopt, adoptServer, showInstance } from './admin-instance.ts'
import { changeLimits, limitOptions } from './admin-limits.ts'
import { readConfig } from './config.ts'
import { bootstrap } from './core/operator/bootstrap.ts'
import { resetLink } from './core/operator/reset-password.ts'
import type { Platform } from './core/platform.ts'
import { claimKeys } from './core/sealing/keys-in-use.ts'
import { beginRotation, rotate } from './core/sealing/rotate.ts'
import { migrate } from './db/migrate.ts'
import { UsageError } from './errors.ts'
import { createLogger, wire } from './process/wiring.ts'

const USAGE = `Usage: slipway admin bootstrap --email you@example.com
       slipway admin reset-password --email someone@example.com
       slipway admin limits ORGANIZATION [--projects N|none|default …]
       slipway admin keys rotate [--background]
       slipway admin instance [adopt [--as-new | --server ID]]
       slipway admin backup send --destination ID --sha256 HEX < FILE`

/** Errands of the person who runs the instance. Whoever can read its configuration can do them. */
export async function admin(argv: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      email: { type: 'string' },
      organization: { type: 'string', default: 'Home' },
      again: { type: 'boolean', default: false },
      days: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
      background: { type: 'boolean', default: false },
      'as-new': { type: 'boolean', default: false },
      server: { type: 'string' },
      destination: { type: 'string' },
      sha256: { type: 'string' },
      ...limitOptions,
    },
  })
  const errand = positionals.join(' ')
  const [first, about] = positionals
  if (first === 'limits' && about !== undefined && positionals.length === 2)
    return onInstance(changeLimits(about, values))
  if (errand === 'bootstrap') return makeOwner(values)
  if (errand === 'reset-password') return resetPassword(values)
  if (errand === 'keys rotate') return rotateKeys(values)
  if (errand === 'instance') return onInstance(showInstance)
  if (errand === 'instance adopt') {
    const { server, 'as-new': asNew } = values
    return onInstance((platform) => (server === undefined ? adopt(platform, asNew) : adoptServer(platform, server)))
  }
  if (errand === 'backup send') {
    const { destination, sha256, json } = values
    return onInstance(sendBackup({ destination, sha256, json }))
  }
  throw new UsageError(USAGE)
}

type Asked = { email?: string; organization: string; again: boolean; days: string; json: boolean }

async function makeOwner({ email, days: asked, json, ...rest }: Asked): Promise<void> {
  if (!email || !/^\S+@\S+$/.test(email)) throw new UsageError('--email is required: the address of the owner.')
  const days = Number(asked)
  if (!(days > 0 && days <= 3650)) throw new UsageError('--days must be a number of days, such as 30.')
  await onInstance(async (platform) => {
    const { organization, again } = rest
    const made = await bootstrap(platform, { email, organization, again, days })
    process.stdout.write(json ? `${JSON.stringify(made)}\n` : forPeople(made, platform.config.publicUrl))
  })
}

async function resetPassword({ email }: { email?: string }): Promise<void> {
  if (!email || !/^\S+@\S+$/.test(email)) throw new UsageError('--email is required: the address of the account.')
  await onInstance(async (platform) => {
    const { link } = await resetLink(platform, { email })
    process.stdout.write(`Link to choose a new password (works once, for seven days). Using it ends every session and every
access token of the account:

  ${link}
`)
  })
}

/** Works beside the servers that run; what it had begun when it was cut off, they finish. */
async function rotateKeys({ background }: { background: boolean }): Promise<void> {
  await onInstance(async (platform) => {
    await claimKeys(platform)
    await beginRotation(platform)
    const say = (words: string) => void process.stdout.write(`${words}\n`)
    if (background) return say('The workers of this instance seal everything anew with the first key, within minutes.')
    const { done, gone, used, unreadable } = await rotate(platform, new AbortController().signal, say)
    say(`${done} values were sealed anew; everything that could be opened is sealed with key ${platform.keys.ids[0]}.`)
    if (gone.length > 0) say(`Nothing needs ${gone.join(', ')} any more: take it out of SLIPWAY_SECRET_KEY.`)
    if (unreadable.length > 0) {
      const some = unreadable.slice(0, 5).join(', ')
      throw new Error(`${unreadable.length} values cannot be opened, so no key was given up: ${some}. Set them again.`)
    }
    if (used.length > 0) {
      throw new Error(
        `A process still seals with ${used.join(', ')}. Restart every process with the new key in front, then repeat this.`,
      )
    }
  })
}

async function onInstance(errand: (platform: Platform) => Promise<void>): Promise<void> {
  const { platform, close } = wire(readConfig(process.env), createLogger('silent'))
  try {
    await migrate(platform.db)
    await errand(platform)
  } finally {
    await close()
  }
}

const forPeople = (made: { token: string; expiresAt: Date; link: string }, url: string) =>
  `Owner token (shown once, valid until ${made.expiresAt.toISOString()}):

  export SLIPWAY_TOKEN=${made.token}

Try it:

  curl -H "Authorization: Bearer $SLIPWAY_TOKEN" ${url}/api/me

Setup link to choose a password (works once). Where the account has one, using it ends every session and every other
access token of the account:

  ${made.link}
`
