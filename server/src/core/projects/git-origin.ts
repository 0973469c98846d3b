/** The host that a repository's address leads to, and how: `https://host:443`, `ssh://host:22`. Null for no address. */
export function gitOrigin(repository: string | null): string | null {
  if (repository === null) return null
  const [, scpHost] = /^[^/:@]+@([^/:@]+):(?!\/\/)/.exec(repository) ?? []
  if (scpHost !== undefined) return `ssh://${scpHost.toLowerCase()}:22`
  const url = URL.parse(repository)
  if (!url) return null
  const usual = url.protocol === 'ssh:' ? '22' : '443'
  return `${url.protocol}//${url.hostname.toLowerCase()}:${url.port === '' ? usual : url.port}`
}
