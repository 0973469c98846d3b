/** What a health check found in the container's table of listening ports. */
export type Listening = {
  expected: number
  /** `local`: only the container itself can reach it. */
  open: { port: number; local: boolean }[]
}

/** A port that a container has not opened yet, and since when it runs without it, by the engine's clock. */
export type PortWait = { port: number; since: string | null; open: Listening['open'] }

/**
 * Whether the port is known to be wrong, of a container that was given its whole time to start: it listens for others, but
 * elsewhere, or on the right port for nobody but itself. That will be so the next time, too. One that listens nowhere may
 * be late (it migrates its database first, it waits for another service), and what only the container itself can reach is
 * mostly a tool of its runtime: then nothing is known, and it is tried again. For the same reason nothing is decided
 * before the time to start is over: many open a port for metrics long before the one that matters.
 */
export const isElsewhere = ({ expected, open }: Listening): boolean =>
  open.some(({ port, local }) => (port === expected ? local : !local))

/** Reads what the checks of `health.ts` print when the port is closed; null where they say something else. */
export function listeningOf(output: string): Listening | null {
  const said = /(?:nothing listens on port|^port) (\d+).*; open:((?: \d+(?:\/local)?)*)\s*$/m.exec(output)
  if (!said) return null
  const seen = (said[2] ?? '').split(' ').filter(Boolean)
  const reachable = new Set(seen.filter((word) => !word.endsWith('/local')).map(Number))
  const all = new Set(seen.map((word) => Number.parseInt(word, 10)))
  const open = [...all].sort((a, b) => a - b).map((port) => ({ port, local: !reachable.has(port) }))
  return { expected: Number(said[1]), open }
}
