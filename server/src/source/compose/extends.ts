import { posix } from 'node:path'
import { at, fault, type Place, quoted } from './faults.ts'
import { canonical } from './forms/canonical.ts'
import { MOST_EXTENDS } from './limits.ts'
import { clear, merge } from './merge/merge.ts'
import { parseFile } from './parse-file.ts'
import { resolvePaths } from './paths.ts'
import type { Reading, Scope } from './reading.ts'
import { type Dict, dictOf, emptyDict, isDict, isList, mapDict, own, type Value } from './values.ts'

type Origin = { file: string; cleared: readonly string[][] }
type Family = Origin & { services: Dict }

/** Each service of a file that extends another one gets that one's keys underneath its own. */
export async function applyExtends(reading: Reading, scope: Scope, model: Dict, origin: Origin): Promise<Dict> {
  const { services } = model
  if (!isDict(services)) return model
  const extension = new Extension(reading, scope)
  const done = new Map<string, Value>()
  for (const name of Object.keys(services)) done.set(name, await extension.of({ ...origin, services }, name, []))
  return { ...model, services: mapDict(services, (_, name) => done.get(name)) }
}

class Extension {
  private readonly parsed = new Map<string, Promise<Family>>()
  private readonly reading: Reading
  private readonly scope: Scope

  constructor(reading: Reading, scope: Scope) {
    this.reading = reading
    this.scope = scope
  }

  async of(family: Family, name: string, trail: readonly string[]): Promise<Value> {
    const service = own(family.services, name) ?? null
    const place = { file: family.file, path: ['services', name] }
    if (service === null) return service
    if (!isDict(service)) throw fault(place, 'a service must be a mapping', 'Write its keys below its name.')
    const { extends: target, ...mine } = service
    if (target === undefined) return service
    const step = `${family.file}: ${name}`
    if (trail.length > MOST_EXTENDS) {
      throw fault(at(place, 'extends'), `more than ${MOST_EXTENDS} services extend one another`, 'Shorten the chain.')
    }
    if (trail.includes(step)) {
      throw fault(at(place, 'extends'), `it goes in a circle: ${[...trail, step].join(' → ')}`, 'Break the circle.')
    }
    const base = await this.base(family, target, [...trail, step], at(place, 'extends'))
    if (!isDict(base)) return mine
    this.reading.budget.spend('values', count(base))
    const cleared = family.cleared.filter(([section, owner]) => section === 'services' && owner === name)
    const { services: kept } = clear({ services: { [name]: base } }, cleared)
    return merge((isDict(kept) ? own(kept, name) : undefined) ?? emptyDict(), mine, place)
  }

  private async base(family: Family, target: Value, trail: string[], place: Place): Promise<Value> {
    const ref = isDict(target) ? target.service : target
    const file = isDict(target) ? (target.file ?? undefined) : undefined
    if (typeof ref !== 'string') throw fault(place, 'it names no service', 'Write extends: { service: NAME }.')
    if (file !== undefined && typeof file !== 'string') throw fault(at(place, 'file'), 'it is no path', 'Write a path.')
    const parent = file === undefined ? family : await this.fileOf(file, ref, place)
    if (own(parent.services, ref) === undefined) {
      throw fault(
        place,
        `there is no service ${quoted(ref)} in ${parent.file}`,
        'Correct the name, or add the service.',
      )
    }
    return this.of(parent, ref, trail)
  }

  /** The services of another file that one of them needs; the others may be broken. */
  private async fileOf(file: string, ref: string, place: Place): Promise<Family> {
    const whole = this.parsed.get(file) ?? this.parse(file, at(place, 'file'))
    this.parsed.set(file, whole)
    const { services, cleared } = await whole
    const chain = needed(services, ref)
    const model = { services: dictOf(Object.entries(services).filter(([name]) => chain.has(name))) }
    this.reading.origins.note(model, file)
    const long = canonical(model, { file, path: [] }, this.reading.budget)
    const resolved = resolvePaths(long, posix.dirname(file), this.reading.sources, file)
    return { file, cleared, services: isDict(resolved.services) ? resolved.services : {} }
  }

  private async parse(file: string, place: Place): Promise<Family> {
    const documents = await parseFile(this.reading, this.scope, file, place)
    const at = { file, path: ['services'] }
    const services = documents.reduce<Value>(
      (sum, { root }) => merge(sum, root.services ?? emptyDict(), at),
      emptyDict(),
    )
    return { file, cleared: documents.flatMap(({ cleared }) => cleared), services: services as Dict }
  }
}

/** A service and those of the same file that it extends. */
function needed(services: Dict, ref: string): Set<string> {
  const names = new Set<string>()
  let name: string | undefined = ref
  while (name !== undefined && !names.has(name)) {
    names.add(name)
    const service: Value | undefined = own(services, name)
    const target: Value = isDict(service) ? (service.extends ?? null) : null
    const within: Value = isDict(target) && (target.file ?? null) === null ? (target.service ?? null) : target
    name = typeof within === 'string' ? within : undefined
  }
  return names
}

function count(value: Value): number {
  const inner = isList(value) ? value : isDict(value) ? Object.values(value) : []
  return inner.reduce<number>((sum, item) => sum + count(item), 1)
}
