/** Plain `?status=failed` in addresses, where the router would write JSON. */
export const parseSearch = (text: string): Record<string, string> => Object.fromEntries(new URLSearchParams(text))

export function stringifySearch(search: Record<string, unknown>): string {
  const said = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(said.map(([name, value]) => [name, String(value)])).toString()
  return text === '' ? '' : `?${text}`
}
