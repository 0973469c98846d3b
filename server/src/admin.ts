import { parseArgs } from 'node:util'
import { readConfig } from './config.ts'
import { bootstrap } from './core/access/bootstrap.ts'
import { migrate } from './db/migrate.ts'
import { createLogger, wire } from './wiring.ts'

/** The command was not written right; shells know this as exit code 2. */
export class UsageError extends Error {}

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
    },
  })
  if (positionals[0] !== 'bootstrap') throw new UsageError('Usage: slipway admin bootstrap --email you@example.com')
  if (!values.email || !/^\S+@\S+$/.test(values.email))
    throw new UsageError('--email is required: the address of the owner.')
  const days = Number(values.days)
  if (!(days > 0 && days <= 3650)) throw new UsageError('--days must be a number of days, such as 30.')
  const config = readConfig(process.env)
  const { platform, close } = wire(config, createLogger('silent'))
  try {
    await migrate(platform.db)
    const input = { email: values.email, organization: values.organization, again: values.again, days }
    const made = await bootstrap(platform, input)
    process.stdout.write(values.json ? `${JSON.stringify(made)}\n` : forPeople(made, config.publicUrl))
  } finally {
    await close()
  }
}

const forPeople = (made: { token: string; expiresAt: Date; link: string }, url: string) =>
  `Owner token (shown once, valid until ${made.expiresAt.toISOString()}):

  ${made.token}

Try it:

  curl -H "Authorization: Bearer ${made.token}" ${url}/api/me

Setup link to choose a password (works once):

  ${made.link}
`
