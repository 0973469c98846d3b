/** Where the instance is: as said, else where one on this machine with the same environment listens. */
export function instanceUrl(env: NodeJS.ProcessEnv): string {
  if (env.SLIPWAY_URL) return env.SLIPWAY_URL
  const host = env.SLIPWAY_HOST || '127.0.0.1'
  const everywhere = host === '0.0.0.0' || host === '::'
  const reached = everywhere ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return `http://${reached}:${env.SLIPWAY_PORT || 4600}`
}
