import { at, fault, type Place, quoted } from './faults.ts'
import type { Reading } from './reading.ts'
import { type Dict, dictOf, isDict, isList, type Scalar, textOf, type Value } from './values.ts'
import { parseEnvFile, parseRawEnvFile } from './variables/dotenv.ts'

type Known = ReadonlyMap<string, string>

/** The variables of a service: its env files in order, then its own, with what has no value taken from the project's. */
export async function environmentOf(reading: Reading, service: Dict, known: Known, name: string): Promise<Dict> {
  const found = await variablesOf(reading, service.env_file ?? [], known, ['services', name, 'env_file'])
  const own = isDict(service.environment) ? Object.entries(service.environment) : []
  return dictOf([...found, ...own.map(([key, value]): [string, Value] => [key, value ?? known.get(key) ?? null])])
}

/** Labels from files, under those of the service itself. Variables of the project mean nothing there. */
export async function labelsOf(reading: Reading, service: Dict, name: string): Promise<Dict> {
  const found = await variablesOf(reading, service.label_file ?? [], new Map(), ['services', name, 'label_file'])
  return dictOf([...found, ...(isDict(service.labels) ? Object.entries(service.labels) : [])])
}

async function variablesOf(reading: Reading, files: Value, known: Known, path: string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const [n, item] of (isList(files) ? files : []).entries()) {
    const place = at(reading.origins.at(...path), n)
    const { file, required, format } = fileOf(item)
    if (!required && !reading.sources.isFile(file, place)) continue
    const text = await reading.sources.text(file, place)
    const lookup = (name: string) => known.get(name) ?? found.get(name)
    for (const [name, value] of parsed(text, format, { file, place, lookup, reading })) found.set(name, value)
  }
  return found
}

function fileOf(item: Value): { file: string; required: boolean; format: string } {
  if (!isDict(item)) return { file: textOf(item as Scalar), required: true, format: '' }
  const { path = null, required = true, format = '' } = item
  return { file: textOf(path as Scalar), required: required !== false, format: textOf(format as Scalar) }
}

type About = { file: string; place: Place; lookup(name: string): string | undefined; reading: Reading }

function parsed(text: string, format: string, { file, place, lookup, reading }: About): Map<string, string> {
  if (format === 'raw') return parseRawEnvFile(text, lookup)
  if (format !== '')
    throw fault(at(place, 'format'), `the format ${quoted(format)} is not known`, 'Use raw, or leave it out.')
  return parseEnvFile({ text, place: { file, path: [] }, lookup, budget: reading.budget, missing: () => undefined })
}
