import { z } from 'zod'

/** Every id says what it names: a prefix, then 26 characters that sort by time. */
export const ID_PREFIXES = {
  org: 'organization',
  usr: 'user',
  ses: 'session',
  inv: 'invitation',
  tok: 'access token',
  aud: 'audit entry',
  prj: 'project',
  srv: 'server',
  upl: 'folder session',
  dep: 'deployment',
  dst: 'backup destination',
  reg: 'registry',
  ghd: 'delivery',
  gnt: 'grant',
  lnk: 'link',
} as const
export type IdPrefix = keyof typeof ID_PREFIXES

const EXAMPLE = '01k2v9r6c8h3n5q7s9t0w2x4y6'

/** The schema of an id. Any short text passes: an id of the wrong form is simply one that does not exist. */
export const idOf = (prefix: IdPrefix) =>
  z
    .string()
    .min(1)
    .max(64)
    .meta({ idPrefix: prefix, example: `${prefix}_${EXAMPLE}`, description: `id of the ${ID_PREFIXES[prefix]}` })

export const timestamp = z.iso.datetime().meta({ example: '2026-01-31T12:00:00.000Z' })
