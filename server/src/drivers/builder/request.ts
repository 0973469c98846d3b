import { access, constants } from 'node:fs/promises'
import { basename, isAbsolute } from 'node:path'
import { type BuilderFailure, type BuildRequest, builderFailure } from './builder.ts'

/** One environment variable or argument holds at most 128 KiB; the kernel says E2BIG beyond. */
const MOST_BYTES = 100_000
const MOST_DEADLINE_MS = 24 * 3600 * 1000

/** Throws for what no build could honour. All of it ends in paths, host names or arguments. */
export function checkRequest(request: BuildRequest): void {
  const { project, build, service, context, target, tag, args, secrets, limits, deadlineMs } = request
  for (const [what, id] of Object.entries({ project, build, service })) {
    if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/.test(id)) throw invalid(`The ${what} cannot be called ${quoted(id)}.`)
  }
  // BuildKit keeps the last context by the directory's NAME and resends only what differs in size or mtime: two projects
  // that build from ".../src" would get each other's files.
  if (!isAbsolute(context) || ![project, `${project}.${service}`].includes(basename(context))) {
    throw invalid(`The context must be an absolute directory named ${project} or ${project}.${service}.`)
  }
  if (target !== undefined && !/^[A-Za-z0-9][\w.-]*$/.test(target))
    throw invalid(`No stage is called ${quoted(target)}.`)
  if (!/^[a-z0-9][\w./:-]*$/i.test(tag)) throw invalid(`${quoted(tag)} is not a tag.`)
  for (const [name, value] of Object.entries(args)) checkValue('build argument', name, value, /^[A-Za-z_]\w*$/)
  for (const [id, value] of Object.entries(secrets)) checkValue('secret', id, value, /^[A-Za-z0-9_][\w.-]*$/)
  for (const [what, limit] of Object.entries({ ...limits, deadlineMs })) {
    if (!(limit > 0 && Number.isFinite(limit))) throw invalid(`${what} must be a number above zero.`)
  }
  if (deadlineMs > MOST_DEADLINE_MS) throw invalid('deadlineMs must be at most a day.')
}

function checkValue(what: string, name: string, value: string, pattern: RegExp): void {
  if (!pattern.test(name)) throw invalid(`A ${what} cannot be called ${quoted(name)}.`)
  if (value.includes('\0')) throw invalid(`The ${what} ${name} contains a zero byte.`)
  if (Buffer.byteLength(value) > MOST_BYTES) throw invalid(`The ${what} ${name} is longer than ${MOST_BYTES} bytes.`)
}

export async function requireBuildx(path: string): Promise<void> {
  await access(path, constants.X_OK).catch((error) => {
    throw builderFailure('buildx_missing', `There is no docker-buildx at ${path}.`, error)
  })
}

function invalid(message: string): BuilderFailure {
  return builderFailure('request_invalid', message)
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 100))
}
