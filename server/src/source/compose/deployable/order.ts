import type { ComposeProject } from '../project.ts'

/** Services in an order in which each comes after those it waits for; by name where nothing else decides. */
export function orderOf(services: ComposeProject['services']): string[] {
  const order: string[] = []
  const seen = new Set<string>()
  const waitsFor = (name: string) =>
    Object.keys((Object.hasOwn(services, name) && services[name]?.depends_on) || {})
      .filter((other) => Object.hasOwn(services, other))
      .sort()
      .reverse()
  for (const start of Object.keys(services).sort()) {
    const open = seen.has(start) ? [] : [{ name: start, left: waitsFor(start) }]
    seen.add(start)
    while (open.length > 0) {
      const here = open.at(-1)
      const next = here?.left.pop()
      if (next === undefined) order.push(open.pop()?.name ?? '')
      else if (!seen.has(next)) {
        seen.add(next)
        open.push({ name: next, left: waitsFor(next) })
      }
    }
  }
  return order
}
