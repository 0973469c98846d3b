/** What differs from what is stored: an untouched field is not sent, so nobody overwrites what another has changed meanwhile. */
export function changed<T extends object>(before: { [K in keyof T]?: unknown }, after: T): Partial<T> {
  const rows = Object.entries(after).filter(([name, value]) => value !== undefined && before[name as keyof T] !== value)
  return Object.fromEntries(rows) as Partial<T>
}
