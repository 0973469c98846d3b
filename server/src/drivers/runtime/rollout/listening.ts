/** What a health check found in the container's table of listening ports. */
export type Listening = {
  expected: number
  /** `local`: only the container itself can reach it. */
  open: { port: number; local: boolean }[]
}

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
