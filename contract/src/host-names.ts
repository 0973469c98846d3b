import { z } from 'zod'

/** A name with at least one dot, as the domain name system has it: never an address. */
export const HostName = z
  .string()
  .trim()
  .toLowerCase()
  .max(253)
  .regex(/^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/, 'must be a host name')
  .meta({ example: 'shop.example.com' })

/** A host name, or `*.` and one: every name right below it that has no entry of its own. */
export const NameOrWildcard = z
  .string()
  .trim()
  .toLowerCase()
  .refine((name) => HostName.safeParse(name.replace(/^\*\./, '')).success, 'must be a host name, or *. and one')
  .meta({ example: 'shop.example.com' })

/** Where on a host something begins. A slash at its end means nothing: `/` is the whole host, and empty here. */
export const PathPrefix = z
  .string()
  .max(200)
  .regex(
    /^\/(?:[A-Za-z0-9._~-]{1,100}\/){0,3}(?:[A-Za-z0-9._~-]{1,100}\/?)?$/,
    'must be a path of at most 4 names, such as /api/v1',
  )
  .refine((path) => !path.split('/').some((name) => name === '.' || name === '..'), 'must not contain . or ..')
  .overwrite((path) => path.replace(/\/$/, ''))
