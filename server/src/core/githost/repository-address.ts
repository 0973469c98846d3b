/** `https://host/owner/name.git` of the connected host; null for every other address. */
export function nameIn(url: string, repository: string | null): { owner: string; name: string } | null {
  const parsed = repository === null ? null : URL.parse(repository)
  if (parsed === null || parsed.origin !== url || parsed.search !== '' || parsed.hash !== '') return null
  const [, owner, name] = /^\/([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?$/.exec(parsed.pathname) ?? []
  return owner === undefined || name === undefined ? null : { owner, name }
}
