/** Where somebody wanted to go before signing in. Open redirect: an address that is not one of this instance counts as none. */
export function nextAddress(said: unknown): string {
  if (typeof said !== 'string' || !/^\/(?![/\\])/.test(said)) return '/'
  const { origin, pathname, search } = new URL(said, 'http://here.invalid')
  if (origin !== 'http://here.invalid' || pathname.startsWith('//') || pathname.startsWith('/sign-in')) return '/'
  return `${pathname}${search}`
}
