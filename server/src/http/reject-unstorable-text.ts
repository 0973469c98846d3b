/**
 * Where a value holds text that cannot be kept as it is: PostgreSQL takes no NUL, and half a surrogate pair would come
 * back as another character. Nor could a program be given either as an argument or a variable.
 */
export function unstorable(value: unknown, path: string[] = []): string[] | undefined {
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed() ? path : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, inner] of Object.entries(value)) {
    // The name itself is not shown: it would be the text that nobody can print.
    const found = unstorable(name, path) ?? unstorable(inner, [...path, name])
    if (found) return found
  }
  return undefined
}
