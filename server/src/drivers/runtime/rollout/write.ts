import type Docker from 'dockerode'
import type { ServiceAnswer, SwarmSpec } from '../../engine/answers.ts'
import { callEngine, statusOf, wordsOf } from '../../engine/ask.ts'
import type { RegistryLogin } from '../../engine/registry-login.ts'
import { isFileMissing } from '../files.ts'

/** A write that has begun is not given up with its caller: nobody would know whether it was done. */
const WRITE_MS = 20_000

/** Where nothing is said of a login the engine keeps the one it has: for changes that leave the image as it is. */
export async function updateService(
  docker: Docker,
  { ID, Version }: ServiceAnswer,
  body: SwarmSpec,
  login?: RegistryLogin | null,
): Promise<void> {
  // The engine takes the change only if nobody made another one since we looked.
  const query = { version: Version.Index }
  const auth = login === undefined ? {} : { login }
  const request = { method: 'POST', path: `/services/${ID}/update`, query, body, ...auth } as const
  await callEngine(docker, request, AbortSignal.timeout(WRITE_MS))
}

export async function createService(docker: Docker, body: SwarmSpec, login: RegistryLogin | null): Promise<void> {
  const request = { method: 'POST', path: '/services/create', body, login } as const
  await callEngine(docker, request, AbortSignal.timeout(WRITE_MS))
}

/** The name was taken, the version moved on, or the service went away between looking and writing. */
export function isOutrun(error: unknown): boolean {
  const status = statusOf(error)
  return (
    status === 409 || status === 404 || /out of sequence|name conflicts/.test(wordsOf(error)) || isFileMissing(error)
  )
}
