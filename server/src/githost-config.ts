import { accessSync, constants, readFileSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { z } from 'zod'

/** What the environment says of the git host; part of config.ts. */
export const githostEnvironment = {
  SLIPWAY_GITHOST_URL: z
    .url({ protocol: /^https$/ })
    .refine((text) => /^https:\/\/[^/?#@]+\/?$/.test(text), 'must be https:// and a host, without a path')
    .default('https://github.com'),
  SLIPWAY_GITHOST_CLIENT_ID: z.string().optional(),
  SLIPWAY_GITHOST_CLIENT_SECRET: z.string().optional(),
  SLIPWAY_GITHOST_APP_ID: z.coerce.number().int().positive().optional(),
  SLIPWAY_GITHOST_APP_SLUG: z
    .string()
    .regex(/^[a-z0-9-]+$/)
    .optional(),
  SLIPWAY_GITHOST_APP_CLIENT_ID: z.string().optional(),
  SLIPWAY_GITHOST_APP_CLIENT_SECRET: z.string().optional(),
  SLIPWAY_GITHOST_APP_KEY_FILE: z.string().refine(isReadable, 'cannot be read').optional(),
  SLIPWAY_GITHOST_APP_WEBHOOK_SECRET: z.string().min(16, 'must have at least 16 characters').optional(),
  SLIPWAY_GITHOST_APP_OLD_WEBHOOK_SECRET: z.string().min(16, 'must have at least 16 characters').optional(),
  SLIPWAY_GH: z.string().default('gh'),
  SLIPWAY_GH_CONFIG_DIR: z.string().refine(isAbsolute, 'must be an absolute path').optional(),
  SLIPWAY_GH_ORGANIZATION: z.string().optional(),
}

type ConfiguredApp = {
  appId: number
  slug: string
  clientId: string
  clientSecret: string
  privateKey: string
  webhookSecret: string | null
  /** While it is changed at the host: the one before. */
  oldWebhookSecret: string | null
}

export type GithostConfig = {
  /** `https://github.com`, or an Enterprise server of one's own. */
  url: string
  /** Name and port, as people and `gh` say it. */
  host: string
  apiUrl: string
  /** Of an OAuth app: without the secret only the device login works. */
  oauth: { clientId: string; clientSecret: string | null } | null
  /** Registered by hand for the whole instance. */
  app: ConfiguredApp | null
  /** The host's own program; its login serves one organization (null: the first one of the instance). */
  cli: { program: string; configDir: string | null; orgId: string | null }
}

type Environment = z.output<z.ZodObject<typeof githostEnvironment>>

export function githostOf(e: Environment): GithostConfig {
  const url = new URL(e.SLIPWAY_GITHOST_URL).origin
  return {
    url,
    host: new URL(url).host,
    apiUrl: url === 'https://github.com' ? 'https://api.github.com' : `${url}/api/v3`,
    oauth:
      e.SLIPWAY_GITHOST_CLIENT_ID === undefined
        ? null
        : { clientId: e.SLIPWAY_GITHOST_CLIENT_ID, clientSecret: e.SLIPWAY_GITHOST_CLIENT_SECRET ?? null },
    app: appOf(e),
    cli: {
      program: e.SLIPWAY_GH,
      configDir: e.SLIPWAY_GH_CONFIG_DIR ?? null,
      orgId: e.SLIPWAY_GH_ORGANIZATION ?? null,
    },
  }
}

/** Half an app is a mistake that would show only when someone connects: so the start says it. */
function appOf(e: Environment): ConfiguredApp | null {
  const given = {
    SLIPWAY_GITHOST_APP_ID: e.SLIPWAY_GITHOST_APP_ID,
    SLIPWAY_GITHOST_APP_SLUG: e.SLIPWAY_GITHOST_APP_SLUG,
    SLIPWAY_GITHOST_APP_CLIENT_ID: e.SLIPWAY_GITHOST_APP_CLIENT_ID,
    SLIPWAY_GITHOST_APP_CLIENT_SECRET: e.SLIPWAY_GITHOST_APP_CLIENT_SECRET,
    SLIPWAY_GITHOST_APP_KEY_FILE: e.SLIPWAY_GITHOST_APP_KEY_FILE,
  }
  const missing = Object.entries(given).filter(([, value]) => value === undefined)
  if (missing.length === Object.keys(given).length) return null
  if (missing.length > 0) {
    const names = missing.map(([name]) => name).join(', ')
    throw new Error(`Slipway cannot start: its environment is not right.\n  the git host's app also needs ${names}`)
  }
  return {
    appId: given.SLIPWAY_GITHOST_APP_ID ?? 0,
    slug: given.SLIPWAY_GITHOST_APP_SLUG ?? '',
    clientId: given.SLIPWAY_GITHOST_APP_CLIENT_ID ?? '',
    clientSecret: given.SLIPWAY_GITHOST_APP_CLIENT_SECRET ?? '',
    privateKey: readFileSync(given.SLIPWAY_GITHOST_APP_KEY_FILE ?? '', 'utf8'),
    webhookSecret: e.SLIPWAY_GITHOST_APP_WEBHOOK_SECRET ?? null,
    oldWebhookSecret: e.SLIPWAY_GITHOST_APP_OLD_WEBHOOK_SECRET ?? null,
  }
}

export function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}
