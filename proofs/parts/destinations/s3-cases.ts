import type { Case } from './case.ts'
import { fill } from './fill.ts'
import type { Ground } from './ground.ts'

const ALL_BUT = (...denied: string[]) => [
  { Effect: 'Allow', Action: ['s3:PutObject', 's3:GetObject', 's3:DeleteObject', 's3:ListBucket'] },
  { Effect: 'Deny', Action: denied },
]

export async function s3Cases(ground: Ground): Promise<Case[]> {
  const { s3, bad } = ground
  const { endpoint, tlsEndpoint, main, other, small } = s3.s3
  const mine = await s3.make()
  const theirs = await s3.make(other)
  const readOnly = await s3.make(other, [{ Effect: 'Allow', Action: ['s3:GetObject', 's3:ListBucket'] }])
  const noRead = await s3.make(other, ALL_BUT('s3:GetObject'))
  const noDelete = await s3.make(other, ALL_BUT('s3:DeleteObject'))
  const full = await s3.make(small)
  const place = { endpoint, region: null, bucket: full.name, forcePathStyle: true, prefix: '' }
  // The gateway notices after a while that there is too much; the other cases need not wait for it.
  const filling = fill({ kind: 's3_compatible', ...small, ...place }, 1000)
  filling.catch(() => {})
  const to = (more: object) => ({ kind: 's3_compatible', endpoint, bucket: mine.name, ...main, ...more })
  const on = (port: number, scheme = 'http') => to({ endpoint: `${scheme}://${bad.host}:${port}` })
  return [
    { title: 'S3: wrong access key', step: 'auth', says: /access key/i, body: to({ accessKeyId: 'NOBODY' }) },
    { title: 'S3: wrong secret', step: 'auth', says: /SignatureDoesNotMatch/, body: to({ secretAccessKey: 'wrong' }) },
    {
      title: 'S3: bucket missing',
      step: 'write',
      says: /NoSuchBucket.*Create/,
      body: to({ bucket: 'nowhere-at-all' }),
    },
    { title: 'S3: bucket of somebody else', step: 'write', says: /AccessDenied/, body: to({ bucket: theirs.name }) },
    { title: 'S3: read-only bucket', step: 'write', says: /AccessDenied.*right/, body: to({ bucket: readOnly.name }) },
    { title: 'S3: no right to read', step: 'read', says: /AccessDenied|denied/, body: to({ bucket: noRead.name }) },
    {
      title: 'S3: no right to delete',
      step: 'delete',
      says: /AccessDenied|denied/,
      body: to({ bucket: noDelete.name }),
    },
    {
      title: 'S3: quota used up',
      step: 'write',
      says: /QuotaExceeded.*quota/i,
      body: to({ ...small, bucket: full.name }),
      arrange: async () => ground.atEnd(await filling),
    },
    { title: 'S3: closed port', step: 'connect', says: /ECONNREFUSED/, body: on(bad.closed) },
    { title: 'S3: black hole', step: 'connect', says: /firewall/, body: on(bad.blackHole) },
    { title: 'S3: silent host', step: 'connect', says: /firewall/, body: on(bad.silent) },
    {
      title: 'S3: unknown host name',
      step: 'connect',
      says: /spelling/,
      body: to({ endpoint: 'http://nowhere.invalid' }),
    },
    {
      title: 'S3: certificate that nobody trusts',
      step: 'connect',
      says: /certificate/,
      body: to({ endpoint: tlsEndpoint }),
    },
    { title: 'S3: https to a port without TLS', step: 'connect', says: /https/, body: on(bad.web, 'https') },
    {
      title: 'S3: http to a port with TLS',
      step: ['connect', 'write'],
      says: /ECONNRESET/,
      body: to({ endpoint: tlsEndpoint.replace('https:', 'http:') }),
    },
    { title: 'S3: a web server that is no storage', step: 'write', says: /404/, body: on(bad.web) },
    {
      title: 'S3: hangs up',
      step: ['connect', 'write'],
      says: /ECONNRESET|socket hang up|broke/i,
      body: on(bad.hangsUp),
    },
    { title: 'S3: gives back other bytes', step: 'read', says: /not what was/, body: on(bad.flips) },
    { title: 'S3: stops to answer when read', step: 'read', says: /in time|timed out/i, body: on(bad.stalls) },
    ...(await skewed(ground, on(bad.timeless))),
  ]
}

/** A process whose clock is an hour late, and a storage that does not tell what time it is: what is signed is of the past. */
async function skewed({ site }: Ground, body: object): Promise<Case[]> {
  const program = `const late = 3600_000; const Real = Date
    globalThis.Date = class extends Real { constructor(...a) { a.length === 0 ? super(Real.now() - late) : super(...a) } static now() { return Real.now() - late } }`
  const preload = `--import data:text/javascript,${encodeURIComponent(program)}`
  const { url } = await site.start({ role: 'api', env: { NODE_OPTIONS: preload } })
  return [{ title: 'S3: the clock is an hour late', step: 'auth', says: /clock/i, body, at: url }]
}
