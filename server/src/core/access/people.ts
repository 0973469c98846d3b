import type { Config } from '../../config.ts'
import type { Database } from '../../db/database.ts'
import { newId } from '../../db/ids.ts'
import type { Pool } from '../../db/statement.ts'

const ID_PREFIX = { user: 'usr', session: 'ses', account: 'crd', verification: 'ver', 'rate-limit': 'rat' } as const

/** People, passwords and cookie sessions: better-auth does the work, this is all of it that we use. */
export type People = {
  /** Passes a web request to better-auth as it is, so that its own origin check and limits apply. */
  handle(request: Request): Promise<Response>
  /** Begins a session of somebody whom this very request has given the password; what limits guessing does not count it. */
  signIn(who: { email: string; password: string }, asked: Headers): Promise<Response>
  session(headers: Headers): Promise<{ id: string; userId: string; activeOrgId: string | null; expiresAt: Date } | null>
  hashPassword(password: string): Promise<string>
}

export const ADDRESS_HEADER = 'x-slipway-address'

const isSecure = ({ publicUrl }: Pick<Config, 'publicUrl'>) => publicUrl.startsWith('https://')
/** A browser takes __Host- only over https, from this very host, for all of it: nobody else can plant such a cookie. */
const cookiePrefix = (config: Pick<Config, 'publicUrl'>) => (isSecure(config) ? '__Host-slipway' : 'slipway')
/** The name of the cookie that a session has. */
const sessionCookie = (config: Pick<Config, 'publicUrl'>) => `${cookiePrefix(config)}.session_token`
/** Whether a Cookie header has one of that name; whose it is, and whether it is good, is asked then. */
export const carriesSession = (config: Pick<Config, 'publicUrl'>, cookies: string) =>
  cookies.split(';').some((pair) => pair.split('=')[0]?.trim() === sessionCookie(config))

/** better-auth is loaded with the first person who signs in: an instance driven by tokens never pays for it. */
export function people(options: { db: Database; pool: Pool; config: Config }): People {
  let loading: ReturnType<typeof load> | undefined
  const auth = () => {
    loading ??= load(options)
    return loading
  }
  return {
    async handle(request) {
      const response = await (await auth()).handler(request)
      if (response.status >= 500) await throwOutage(options.pool)
      return response
    },
    async signIn(who, asked) {
      const headers = new Headers(asked)
      headers.delete('cookie')
      const response = await (await auth()).api.signInEmail({ body: who, headers, asResponse: true })
      if (response.status >= 500) await throwOutage(options.pool)
      return response
    },
    async session(headers) {
      const loaded = await auth()
      const found = await loaded.api.getSession({ headers }).catch(async (error: unknown) => {
        await throwOutage(options.pool)
        throw error
      })
      if (!found) return null
      const { id, userId, expiresAt } = found.session
      const activeOrgId = (found.session as { activeOrgId?: string | null }).activeOrgId ?? null
      return { id, userId, activeOrgId, expiresAt }
    },
    async hashPassword(password) {
      return (await (await auth()).$context).password.hash(password)
    },
  }
}

/** better-auth keeps the reason of a failure to itself: asking the database once more brings it out. */
const throwOutage = (pool: Pool) => pool.query('select 1')

async function load({ db, config }: { db: Database; config: Config }) {
  const { betterAuth } = await import('better-auth')
  return betterAuth({
    appName: 'Slipway',
    baseURL: config.publicUrl,
    basePath: '/api/auth',
    secret: config.keys.derive('sessions'),
    database: { db, type: 'postgres', transaction: true },
    emailAndPassword: { enabled: true, disableSignUp: true, minPasswordLength: 10, maxPasswordLength: 128 },
    user: { modelName: 'person' },
    account: { modelName: 'credential' },
    session: {
      expiresIn: 14 * 24 * 3600,
      updateAge: 24 * 3600,
      additionalFields: { activeOrgId: { type: 'string', required: false, input: false } },
    },
    rateLimit: {
      enabled: true,
      storage: 'database',
      window: 60,
      max: 100,
      customRules: { '/sign-in/email': { window: 60, max: 10 }, '/change-password': { window: 60, max: 10 } },
    },
    advanced: {
      // Named by us, because better-auth knows only __Secure-, which a neighbour below the same domain can set too.
      cookiePrefix: cookiePrefix(config),
      useSecureCookies: false,
      defaultCookieAttributes: { secure: isSecure(config) },
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
      database: { generateId: ({ model }) => newId(ID_PREFIX[model as keyof typeof ID_PREFIX] ?? 'ver') },
    },
    telemetry: { enabled: false },
    logger: { disabled: true },
  })
}
