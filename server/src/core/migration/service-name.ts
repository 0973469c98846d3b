import { ServiceName } from '@slipway/contract/services'

const MOST = 63

/** Somebody's own name for a service as one that a project may have: lower case, no dots. */
export function serviceNameOf(name: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .slice(0, MOST)
    .replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, '')
  return ServiceName.safeParse(slug).success ? slug : 'service'
}
