import type { S3Client } from '@aws-sdk/client-s3'
import { prefixParts } from '../keys.ts'
import { type OpenOptions, type S3Place, storageFailure } from '../storage.ts'
import { type Agents, makeAgents } from './agents.ts'
import { boundAnswer } from './answers.ts'

export type Sdk = typeof import('@aws-sdk/client-s3')

export type Bucket = {
  sdk: Sdk
  client: S3Client
  agents: Agents
  place: S3Place
  name: string
  /** The object's whole name in the bucket. */
  full(key: string): string
  base: string
  /** Silence longer than this ends a request. */
  stallMs: number
}

const CONNECT_MS = 10_000
const STALL_MS = 30_000
const ATTEMPTS = 3

/** The SDK is loaded on first use: an idle server should not pay for it. */
export async function openBucket(place: S3Place, options: OpenOptions): Promise<Bucket> {
  const region = place.region || 'us-east-1'
  const endpoint = endpointOf(place, region)
  const base = prefixParts(place.prefix)
    .map((part) => `${part}/`)
    .join('')
  const { connectMs = CONNECT_MS, stallMs = STALL_MS } = options
  const agents = makeAgents({ mayConnect: options.mayConnect, roots: place.roots })
  const sdk = await import('@aws-sdk/client-s3')
  const client = new sdk.S3Client({
    region,
    endpoint,
    forcePathStyle: place.forcePathStyle,
    credentials: { accessKeyId: place.accessKeyId, secretAccessKey: place.secretAccessKey },
    // Checksums of the SDK's own make other vendors answer 411 or 501. Every body is signed with its SHA-256 anyway.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false,
    maxAttempts: ATTEMPTS,
    // It would write to the console; what matters comes as an error.
    logger: silent,
    requestHandler: {
      httpAgent: agents.http,
      httpsAgent: agents.https,
      connectionTimeout: connectMs,
      socketTimeout: stallMs,
    },
  })
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const result = await next(args)
        await boundAnswer(result.response as Parameters<typeof boundAnswer>[0], commandName)
        return result
      },
    // The nearest to the connection: before anything else reads.
    { step: 'deserialize', priority: 'low', name: 'boundAnswer' },
  )
  return { sdk, client, agents, place, name: place.bucket, full: (key) => base + key, base, stallMs }
}

const nothing = () => {}
const silent = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing }

/** Given in any case: left out, it would be taken from the environment of the process. */
function endpointOf({ endpoint }: S3Place, region: string): string {
  if (endpoint === null) return `https://s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
  const url = URL.parse(endpoint)
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.username || url.password) {
    throw storageFailure('bad_place', 'The endpoint is not an http or https URL without a login.')
  }
  return endpoint
}
