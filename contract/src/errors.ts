import { z } from 'zod'
import { LimitKindSchema } from './limits.ts'

/** Every code a client may branch on, with its status and what it means. docs/reference/errors.md is made from this. */
export const ERROR_CODES = {
  invalid_request: [400, 'The request does not fit the schema; `field` names the first place that is wrong.'],
  invalid_path: [400, 'A file path is absolute, leaves the tree, or is not a plain path.'],
  invalid_link: [400, 'A symbolic link points outside the uploaded tree, or an entry is of a kind that is not taken.'],
  invalid_compose: [
    400,
    'A compose file cannot be used; the message names file, service and key, the hint says what to do.',
  ],
  hash_mismatch: [400, 'The bytes received do not have the announced SHA-256 or size.'],
  invalid_archive: [400, 'The uploaded archive is not a readable gzip-compressed tar file.'],
  invalid_code: [400, 'The setup or invitation code is unknown, used or expired.'],
  invalid_password: [400, 'The password is too short, too long or wrong for this account.'],
  authorization_pending: [
    400,
    'Nobody has decided yet whether the command line is signed in or the instance linked; ask again after `interval` seconds.',
  ],
  slow_down: [
    400,
    'The token of a sign-in was asked for too soon; from now on wait for 5 seconds more between two calls.',
  ],
  access_denied: [400, 'Somebody refused to sign the command line in, or to link the instance.'],
  expired_token: [
    400,
    'The request to sign the command line in, or to link the instance, has expired, or there is none.',
  ],
  invalid_grant: [
    400,
    'The verifier or the one-time code does not fit the request to sign in, or the token was fetched before.',
  ],
  not_now: [400, 'The deployment is in a state in which this cannot be done; the message says which.'],
  no_server: [400, 'The project has no server to run on.'],
  no_source: [400, 'Nothing to deploy was named: no upload, no repository, no image.'],
  not_sealed: [400, 'The folder session is not sealed yet.'],
  nothing_to_build: [400, 'The source holds nothing that could be built; the message says what was looked for.'],
  last_owner: [400, 'The organization would be left without an owner.'],
  scope_exceeds_caller: [400, 'A token cannot hold more than the credential that makes it.'],
  githost_not_connected: [400, 'The organization has no connection to a git host that could be used.'],
  dns_wrong: [400, 'The name does not lead to the server; the message says where it leads and where it should.'],
  address_refused: [
    400,
    'The name leads only to addresses that this instance does not connect to: private, local, reserved.',
  ],
  local_engine_unavailable: [400, 'This instance does not offer its own engine as a server.'],
  duplicate_name: [400, 'Another backup destination of the organization has this name.'],
  local_destination_refused: [
    400,
    'This instance keeps no backups on its own machine, or not at this path; the message says which.',
  ],
  registry_refused: [
    400,
    'The registry does not take the credential, or what answers is no registry that asks for one; the message says which.',
  ],
  no_installation: [409, 'No installation of the app covers this repository, and only one can make clone tokens.'],
  githost_forbids: [
    409,
    'The git host does not let this connection do it; the message names the permission that is lacking.',
  ],
  server_in_use: [409, 'Projects still run on this server.'],
  signature_invalid: [401, 'A delivery of the git host is not signed with the secret of its hook.'],
  credentials_missing: [401, 'No access token and no session was sent.'],
  credentials_invalid: [401, 'The access token is unknown or revoked, or the session has ended.'],
  credentials_expired: [401, 'The access token has expired.'],
  sign_in_failed: [401, 'Email and password do not match.'],
  permission_denied: [403, 'The caller is known but lacks the permission named in `requires`.'],
  project_restricted: [403, 'The access token is restricted to one project and cannot be used here.'],
  cross_site: [403, 'A session cookie was sent with a write from another site.'],
  local_source_refused: [
    403,
    'A hosted instance deploys repositories and folders that were uploaded for it, not those of a machine of one’s own.',
  ],
  session_required: [403, 'Only a signed-in person can do this, not an access token.'],
  link_required: [
    403,
    'Only the credential of a linked instance can do this, as long as its approver may link instances.',
  ],
  token_required: [403, 'Only an access token can do this, not a session.'],
  password_not_new: [
    403,
    'Joining another organization needs a password that was chosen in this session a moment ago.',
  ],
  limit_reached: [
    403,
    'The organization has as much as it may have of what `limit` names: `used` of `most`; the hint says what to do.',
  ],
  not_found: [404, 'No such thing in this organization: unknown, deleted or of another organization.'],
  route_not_found: [404, 'The API has no such path or method.'],
  name_taken: [409, 'Another one of the same name exists.'],
  already_member: [409, 'The person is a member already.'],
  no_decision_pending: [409, 'The deployment does not wait for anybody to keep or reject it.'],
  conflict: [409, 'Something this refers to changed at the same moment; look again and repeat.'],
  engine_taken: [409, 'The engine already serves another organization.'],
  blobs_missing: [409, 'The folder session cannot be sealed yet; `missing` lists what to upload.'],
  session_sealed: [409, 'The folder session is sealed and takes no more files.'],
  session_expired: [409, 'The folder session expired before it was sealed.'],
  request_running: [409, 'A request with the same Idempotency-Key is still running.'],
  promotion_running: [
    409,
    'The project is being promoted to the hosted cloud, which does not know the deployment yet; Retry-After says when to ask again.',
  ],
  stale: [412, 'The row changed since the version named in If-Match.'],
  too_large: [413, 'The body, a file or the number of files is over the limit that is named.'],
  unsupported_media_type: [415, 'The content type is not one this route takes.'],
  idempotency_mismatch: [422, 'The same Idempotency-Key was used before with another request.'],
  rate_limited: [429, 'Too many requests; Retry-After says when to come back.'],
  internal: [500, 'A fault of the server; the request id finds it in the log.'],
  certificate_failed: [502, 'The CA did not issue a certificate; the message has its own reason, the hint what to do.'],
  server_unreachable: [502, 'The server or its engine could not be reached, or failed; the message says how.'],
  registry_unreachable: [502, 'The registry could not be reached in time, so the credential could not be checked.'],
  githost_unreachable: [502, 'The git host could not be reached, or answered with an error of its own.'],
  sign_up_closed: [503, 'This cloud takes nobody new at the moment; the message says why.'],
  hook_without_secret: [503, 'Deliveries of the git host cannot be checked: no secret is stored for this hook.'],
  githost_busy: [503, 'The git host takes no more requests for now; Retry-After says when it does.'],
  cloud_unreachable: [
    503,
    'The hosted cloud cannot be reached, or does not answer as it should; Retry-After says when to try again.',
  ],
  disk_full: [507, 'The disk of this instance, or of its database, is full; nothing of the request was kept.'],
  loop_detected: [508, 'The hosted cloud of the organization passes the request on once more: its address leads back.'],
  database_unavailable: [503, 'The database cannot be reached; Retry-After says when to try again.'],
} as const satisfies Record<string, readonly [number, string]>

export type ErrorCode = keyof typeof ERROR_CODES

export const ErrorBody = z
  .object({
    success: z.literal(false),
    error: z.string().meta({ description: 'what happened, as a sentence' }),
    code: z.enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]),
    message: z.string().optional(),
    hint: z.string().optional().meta({ description: 'what to do next' }),
    field: z.string().optional(),
    requires: z.string().optional().meta({ description: 'the permission that is lacking' }),
    missing: z.array(z.string()).optional(),
    limit: LimitKindSchema.optional().meta({ description: 'with `limit_reached`: what there is enough of' }),
    most: z.number().int().optional().meta({ description: 'with `limit_reached`: how much there may be' }),
    used: z.number().int().optional().meta({ description: 'with `limit_reached`: how much there is' }),
    requestId: z.string(),
  })
  .meta({ id: 'Error' })
export type ErrorBody = z.infer<typeof ErrorBody>
