import { appSession } from './app.ts'
import { type ClientOptions, hostClient } from './client.ts'
import { cloudBroker } from './cloud.ts'
import { type CliOptions, ghCli } from './gh.ts'
import type { GitHost } from './githost.ts'
import { hostOAuth } from './oauth.ts'
import { hostSession } from './session.ts'

/** The configured host. Nothing is loaded and nothing is connected before the first request. */
export function gitHost(options: ClientOptions & { cli: Omit<CliOptions, 'host'>; cloudUrl: string | null }): GitHost {
  const client = hostClient(options)
  return {
    as: (source) => hostSession(client.as(source, async () => `token ${await source.token()}`)),
    asApp: (app) => appSession(client, app),
    oauth: hostOAuth(client),
    cli: ghCli({ ...options.cli, host: options.host }),
    cloudUrl: cloudBroker(options),
  }
}
