import type { EdgeSettings } from '../../drivers/edge/edge.ts'
import type { BaseParts } from '../parts.ts'

/** What the edge of a server is to be like. Only on this machine it leads to the platform itself. */
export const edgeSettings = (
  { config }: Pick<BaseParts, 'config'>,
  { kind }: { kind: 'local' | 'ssh' },
): EdgeSettings => ({
  ...config.edge,
  instance: config.instance,
  platformSocket: kind === 'local' ? config.platformSocket : null,
})
