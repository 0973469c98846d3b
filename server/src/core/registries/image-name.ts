/** The public registry goes by several names; images of it need none. */
const PUBLIC = 'docker.io'
const ITS_NAMES = new Set([PUBLIC, 'index.docker.io', 'registry-1.docker.io', 'registry.hub.docker.com'])

/** One spelling for each registry, for saving and for comparing. */
export function hostName(host: string): string {
  const lower = host.toLowerCase()
  return ITS_NAMES.has(lower) ? PUBLIC : lower
}

/** Of which registry an image is and what it is called there, without tag and digest, as engines read its name. */
export function whereIs(image: string): { host: string; path: string } {
  const [named = ''] = image.split('@', 1)
  const slash = named.indexOf('/')
  const first = named.slice(0, Math.max(slash, 0))
  const isHost = /[.:A-Z]/.test(first) || first === 'localhost'
  const path = (isHost ? named.slice(slash + 1) : named).replace(/:[^/]*$/, '')
  const host = isHost ? hostName(first) : PUBLIC
  return { host, path: host === PUBLIC && !path.includes('/') ? `library/${path}` : path }
}
