import { appSession } from './app.ts'
import { type ClientOptions, hostClient } from './client.ts'
import { type CliOptions, ghCli } from './gh.ts'
import type { GitHost } from './githost.ts'
import { hostOAuth } from './oauth.ts'
import { pushSession } from './push.ts'
import { hostSession } from './session.ts'
import { isSigned } from './signature.ts'

type Options = ClientOptions & { cli: Omit<CliOptions, 'host'> }

/** The configured host. Nothing is loaded and nothing is connected before the first request. */
export function gitHost(options: Options): GitHost {
  const client = hostClient(options)
  return {
    as(source) {
      const signed = async () => `token ${await source.token()}`
      const call = client.as(source, signed)
      // The host counts GraphQL for itself.
      const graphql = client.as({ ...source, key: `${source.key}:graphql` }, signed)
      return { ...hostSession(call), ...pushSession(call, graphql, graphqlUrl(options.apiUrl)) }
    },
    isSigned,
    asApp: (app) => appSession(client, app),
    oauth: hostOAuth(client),
    cli: ghCli({ ...options.cli, host: options.host }),
  }
}

const graphqlUrl = (apiUrl: string) => (apiUrl.endsWith('/v3') ? apiUrl.replace(/v3$/, 'graphql') : `${apiUrl}/graphql`)
