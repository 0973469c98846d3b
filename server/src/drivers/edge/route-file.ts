import { randomBytes } from 'node:crypto'
import { type EdgeRoute, edgeFailure } from './edge.ts'

/** Each is one more look at the disk per request. */
export const MOST_SEGMENTS = 4

/**
 * A route is an empty file, and its name says everything: a new name appears whole, where writing into a file would show
 * readers the middle of it. `slot` is the folder of one host and prefix; in it the first name in the alphabet counts,
 * so newer names sort earlier. Names, not time stamps: the engine rounds those when it is asked for them.
 */
export type RouteFile = { slot: string; stamp: number; name: string; entry: string }

export const NONE = 'none'

/** The slot and the entry of a route that is fit to be written. */
export function placeRoute(route: EdgeRoute): { slot: string; entry: string } {
  const { host, pathPrefix, project, service, port, also = null, secure = null, redirectTo = null } = route
  const folder = folderOf(host)
  if (folder === undefined) throw invalid(`${quoted(host)} is not a host name`)
  if (!PROJECT.test(project)) throw invalid(`${quoted(project)} is not a project's id`)
  const segments = segmentsOf(pathPrefix ?? '/')
  const slot = segments.length === 0 ? folder : [folder, segments.length, ...segments].join('/')
  if (redirectTo !== null) {
    if (!isHostName(redirectTo.host)) throw invalid(`${quoted(redirectTo.host)} is not a host name`)
    return { slot, entry: `${project}+=${redirectTo.host}${redirectTo.https ? '!' : ''}` }
  }
  if (!SERVICE.test(service)) throw invalid(`${quoted(service)} is not a service's name`)
  for (const one of [port, also ?? port])
    if (!Number.isInteger(one) || one < 1 || one > 65_535) throw invalid(`${one} is not a port`)
  return { slot, entry: `${project}+${service}@${port}${also === null ? '' : `,${also}`}${MARKS[secure ?? 'none']}` }
}

/** At the end of an entry: what a request without TLS gets, and whether browsers are told to remember it. */
const MARKS = { none: '', redirect: '!', hsts: '!!' } as const

const LABEL = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'
const HOST = new RegExp(`^${LABEL}(\\.${LABEL})*$`)
const isHostName = (host: string) => HOST.test(host) && host.length <= 253

/** The folder of a host. A star means something in file names, an underscore nothing in host names. */
export function folderOf(host: string): string | undefined {
  const plain = host.startsWith('*.') ? host.slice(2) : host
  if (!isHostName(plain)) return undefined
  return plain === host ? host : `_.${plain}`
}

export const hostOf = (folder: string) => (folder.startsWith('_.') ? `*.${folder.slice(2)}` : folder)

const PROJECT = /^[a-z0-9][a-z0-9_-]{0,62}$/
const SERVICE = /^[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?$/
// No plus sign: that is what tells an entry from a folder.
const SEGMENT = /^[A-Za-z0-9._~-]{1,100}$/

function segmentsOf(prefix: string): string[] {
  if (prefix === '/') return []
  const segments = prefix.replace(/\/$/, '').split('/').slice(1)
  const plain = (segment: string) => SEGMENT.test(segment) && segment !== '.' && segment !== '..'
  if (!prefix.startsWith('/') || !segments.every(plain)) throw invalid(`${quoted(prefix)} is not a path prefix`)
  if (segments.length > MOST_SEGMENTS) throw invalid(`${quoted(prefix)} has more than ${MOST_SEGMENTS} segments`)
  return segments
}

const invalid = (what: string) => edgeFailure('route_invalid', `${what}.`)
const quoted = (text: string) => JSON.stringify(text.slice(0, 200))

const LAST_STAMP = 2 ** 48 - 1

/** A name never used before that counts more than every name of this stamp or an earlier one. */
export function nameFor(entry: string, stamp: number): string {
  const order = (LAST_STAMP - stamp).toString(16).padStart(12, '0')
  // Two writers at the same moment must not overwrite each other's file: it would be gone for an instant.
  return `${order}${randomBytes(3).toString('hex')}+${entry}`
}

const FILE = /^(.+)\/(([0-9a-f]{12})[0-9a-f]{6}\+([^/]+))$/

/** What a path below the routes' folder means; undefined for folders and for what is not ours. */
export function parseFile(path: string): RouteFile | undefined {
  const [, slot, name, order, entry] = FILE.exec(path) ?? []
  if (slot === undefined || name === undefined || order === undefined || entry === undefined) return undefined
  return { slot, name, stamp: LAST_STAMP - Number.parseInt(order, 16), entry }
}

/** The route an entry in a slot stands for; undefined for `none`. */
export function routeOf({ slot, entry }: Pick<RouteFile, 'slot' | 'entry'>): EdgeRoute | undefined {
  const [folder = '', , ...segments] = slot.split('/')
  const host = hostOf(folder)
  const pathPrefix = segments.length === 0 ? null : `/${segments.join('/')}`
  const [, from, target, https] = /^([^+]+)\+=([^!]+)(!?)$/.exec(entry) ?? []
  if (from !== undefined && target !== undefined) {
    const redirectTo = { host: target, https: https === '!' }
    return { host, pathPrefix, project: from, service: '', port: 0, redirectTo }
  }
  const [, project, service, port, also, marks] = /^([^+]+)\+([^@]+)@(\d+)(?:,(\d+))?(!{0,2})$/.exec(entry) ?? []
  if (project === undefined || service === undefined) return undefined
  const secure = marks === MARKS.hsts ? 'hsts' : 'redirect'
  return {
    ...{ host, pathPrefix, project, service, port: Number(port) },
    ...(also !== undefined && { also: Number(also) }),
    ...(marks && { secure }),
  }
}
