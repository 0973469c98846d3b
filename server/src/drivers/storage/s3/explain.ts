import { isFailure } from '../../../errors.ts'
import { type S3Place, type StorageFailure, type StorageFailureCode, storageFailure } from '../storage.ts'
import { NOT_S3 } from './answers.ts'

type S3Error = Error & { code?: string; $metadata?: { httpStatusCode?: number } }

/** What S3 servers call it, and what it is to us. */
const named: Record<string, StorageFailureCode> = {
  InvalidAccessKeyId: 'auth',
  SignatureDoesNotMatch: 'auth',
  InvalidToken: 'auth',
  ExpiredToken: 'auth',
  TokenRefreshRequired: 'auth',
  AccountProblem: 'auth',
  RequestTimeTooSkewed: 'clock_skew',
  NoSuchBucket: 'bucket_missing',
  InvalidBucketName: 'bucket_missing',
  NoSuchKey: 'not_found',
  NotFound: 'not_found',
  AccessDenied: 'denied',
  AllAccessDisabled: 'denied',
  Forbidden: 'denied',
  MethodNotAllowed: 'denied',
  PermanentRedirect: 'wrong_region',
  AuthorizationHeaderMalformed: 'wrong_region',
  IllegalLocationConstraintException: 'wrong_region',
  QuotaExceeded: 'quota',
  ServiceQuotaExceededException: 'quota',
  XMinioAdminBucketQuotaExceeded: 'quota',
  XMinioStorageFull: 'full',
  InsufficientStorage: 'full',
  BadDigest: 'corrupted',
  InvalidDigest: 'corrupted',
  XAmzContentSHA256Mismatch: 'corrupted',
  XAmzContentChecksumMismatch: 'corrupted',
  TimeoutError: 'timeout',
}

const bySystem: Record<string, StorageFailureCode> = {
  ENOTFOUND: 'name_not_found',
  EAI_AGAIN: 'name_not_found',
  EAI_FAIL: 'name_not_found',
  ADDRESS_REFUSED: 'address_refused',
  ECONNREFUSED: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  ETIMEDOUT: 'timeout',
  ECONNRESET: 'connection_lost',
  EPIPE: 'connection_lost',
  ERR_STREAM_PREMATURE_CLOSE: 'connection_lost',
  EPROTO: 'tls',
  CERT_HAS_EXPIRED: 'tls',
  CERT_NOT_YET_VALID: 'tls',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls',
  UNABLE_TO_GET_ISSUER_CERT: 'tls',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls',
}

const byStatus: Record<number, StorageFailureCode> = {
  301: 'wrong_region',
  307: 'wrong_region',
  401: 'auth',
  403: 'denied',
  404: 'not_found',
  507: 'full',
}

export const statusOf = (error: unknown) => (error as S3Error | null)?.$metadata?.httpStatusCode
export const nameOf = (error: unknown) => (error instanceof Error ? error.name : '')

/** The first of an error and its causes that says something a machine can read. */
export function codeOf(error: S3Error): StorageFailureCode {
  const name = named[error.name]
  if (name !== undefined) return name
  for (let at: S3Error | undefined = error; at instanceof Error; at = at.cause as S3Error | undefined) {
    const all = [at, ...(at instanceof AggregateError ? (at.errors as S3Error[]) : [])]
    for (const { code = '' } of all) {
      const known =
        bySystem[code] ?? (/^ERR_(TLS|SSL)_/.test(code) ? 'tls' : code.startsWith('HPE_') ? 'tls' : undefined)
      if (known !== undefined) return known
    }
  }
  return byStatus[statusOf(error) ?? 0] ?? 'failed'
}

/** `what` completes "cannot". Nothing of the request is kept: it carries the key. */
export function explainS3(error: unknown, place: S3Place, what: string): unknown {
  if (isFailure<StorageFailure>(error, 'storage') || !(error instanceof Error)) return error
  const code = codeOf(error)
  const status = statusOf(error)
  const at = place.endpoint === null ? `Amazon S3 (${place.region ?? 'us-east-1'})` : place.endpoint
  const told = [short(clean(error.name, place), 100), status].filter((word) => word && word !== 'Error').join(', ')
  const why = sentence(code, error, place)
  const message = `${at} cannot ${what} in the bucket ${place.bucket}: ${why}${told && ` (${told})`}.`
  const cause = new Error(short(clean(`${error.name}: ${error.message}`, place), LONGEST))
  return storageFailure(code, clean(message, place), { cause, ...(notS3(error) && { hint: HINT_S3 }) })
}

const HINT_S3 = 'Check that the endpoint is the one of an S3 service, not of a web page or a console.'
/** What it says cannot be read as XML, or would be too much to read. */
const notS3 = (error: Error) => error.name === NOT_S3 || error.message.includes('Deserialization error')

/** Longer than anyone shows. Who shows it takes other forms of secrets out, too, and only then makes it shorter. */
const LONGEST = 4_000

/** Called without secrets in the text: a cut leaves the half of one. For the same reason no word is cut, in whatever form. */
function short(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).replace(/\S*$/, '')}…`
}

/** The other side's own words where it has some; a HEAD has no body, and broken pages say too much. */
function sentence(code: StorageFailureCode, error: S3Error, place: S3Place): string {
  if (notS3(error) && error.name !== NOT_S3) return 'it answers with something that is no answer of S3'
  const own = short(clean(error.message, place).replace(/\s+/g, ' ').trim(), LONGEST).replace(/\.$/, '')
  const empty = own === '' || own === error.name || /^(UnknownError|Unknown|\d{3})$/.test(own) || own.includes('<')
  return empty ? plain[code] : own
}

const plain: Record<StorageFailureCode, string> = {
  unreachable: 'nothing accepts connections there',
  name_not_found: 'the host name could not be resolved',
  address_refused: 'the address may not be used',
  timeout: 'it did not answer in time',
  tls: 'no secure connection could be made',
  auth: 'it does not accept the access key',
  key_unreadable: 'the key cannot be read',
  host_key_unknown: 'the host key is not known',
  host_key_mismatch: 'the host key is another one',
  clock_skew: 'the clocks of the two machines differ too much',
  bucket_missing: 'there is no such bucket',
  wrong_region: 'the bucket lies in another region',
  denied: 'access is denied',
  not_found: 'there is no such object',
  full: 'no space is left there',
  quota: 'the quota is used up',
  root_missing: 'the root is not there',
  outside_root: 'it lies outside of the root',
  not_a_folder: 'it is not a folder',
  bad_place: 'the destination is not complete',
  bad_key: 'the key cannot be used',
  corrupted: 'what arrived is not what was sent',
  connection_lost: 'the connection broke',
  failed: 'it failed without saying why',
}

function clean(text: string, { accessKeyId, secretAccessKey }: S3Place): string {
  return [secretAccessKey, accessKeyId].filter(Boolean).reduce((left, secret) => left.replaceAll(secret, '…'), text)
}
