import type { ServiceConfig } from '@slipway/contract/services'

export type ServiceField = {
  /** Where it stands in the description of a service; a dot leads one level down. */
  path: string
  label: string
  kind: 'text' | 'number' | 'seconds' | 'lines' | 'choice'
  hint?: string
  placeholder?: string
  min?: number
  max?: number
  step?: number
  choices?: readonly { value: string; label: string }[]
}

/** What may be said of a service here, by what it is about. What is not named here stays as it is when something is saved. */
export const SERVICE_FIELDS: Record<string, ServiceField[]> = {
  'How it runs': [
    { path: 'replicas', label: 'Replicas', kind: 'number', min: 0, max: 100, placeholder: '1' },
    { path: 'port', label: 'Port', kind: 'number', min: 1, max: 65535, placeholder: 'as found' },
    { path: 'startCommand', label: 'Start command', kind: 'text', placeholder: 'as found' },
    {
      path: 'restart',
      label: 'When it ends',
      kind: 'choice',
      choices: [
        { value: '', label: 'Start it again' },
        { value: 'always', label: 'Start it again, always' },
        { value: 'unless-stopped', label: 'Start it again, unless stopped' },
        { value: 'on-failure', label: 'Start it again after a failure' },
        { value: 'no', label: 'Leave it' },
      ],
    },
    {
      path: 'exposed',
      label: 'Visitors reach it',
      kind: 'choice',
      choices: [
        { value: '', label: 'If it is the main one' },
        { value: 'true', label: 'Yes' },
        { value: 'false', label: 'No' },
      ],
    },
  ],
  Limits: [
    { path: 'memoryMb', label: 'Memory (MB)', kind: 'number', min: 6, max: 1_048_576, placeholder: 'the usual' },
    { path: 'cpus', label: 'Processors', kind: 'number', min: 0.01, max: 1024, step: 0.01, placeholder: 'no limit' },
  ],
  'Health check': [
    { path: 'healthcheck.path', label: 'Path', kind: 'text', placeholder: '/healthz' },
    { path: 'healthcheck.intervalMs', label: 'Every (s)', kind: 'seconds', min: 0.5, max: 600, step: 0.1 },
    { path: 'healthcheck.timeoutMs', label: 'Answer within (s)', kind: 'seconds', min: 0.1, max: 600, step: 0.1 },
    { path: 'healthcheck.retries', label: 'Misses before it counts', kind: 'number', min: 1, max: 100 },
    { path: 'healthcheck.startPeriodMs', label: 'Time to start (s)', kind: 'seconds', min: 0, max: 3600, step: 0.1 },
  ],
  'How it is built': [
    { path: 'image', label: 'Image', kind: 'text', placeholder: 'built from the source', hint: 'Instead of a build.' },
    { path: 'rootDirectory', label: 'Folder', kind: 'text', placeholder: 'the whole source' },
    { path: 'dockerfile', label: 'Dockerfile', kind: 'text', placeholder: 'as found' },
    { path: 'installCommand', label: 'Install command', kind: 'text', placeholder: 'as found' },
    { path: 'buildCommand', label: 'Build command', kind: 'text', placeholder: 'as found' },
    { path: 'outputDirectory', label: 'Output folder', kind: 'text', placeholder: 'as found' },
  ],
  'Ports and data': [
    { path: 'ports', label: 'Ports of the server', kind: 'lines', hint: 'One in a line: 5432, or 8080:80.' },
    { path: 'volumes', label: 'Volumes', kind: 'lines', hint: 'One in a line: data:/var/lib/data.' },
  ],
}
const ALL = Object.values(SERVICE_FIELDS).flat()
export const SERVICE_PATHS = ALL.map(({ path }) => path)

type Loose = Record<string, unknown>

/** What a field shows of a description; nothing where it says nothing. */
export function shownIn(config: ServiceConfig, { path, kind }: ServiceField): string {
  const value = valueAt(config as Loose, path)
  if (value === undefined) return ''
  if (kind === 'lines') return (value as unknown[]).join('\n')
  return String(kind === 'seconds' ? Number(value) / 1000 : value)
}

/** The description after a form was filled in: an empty field says nothing any more, and what has no field stays. */
export function configAfter(before: ServiceConfig, said: (path: string) => string): ServiceConfig {
  const { healthcheck, ...rest } = before
  const after: Loose = { ...rest }
  const health: Loose = { ...healthcheck }
  for (const field of ALL) {
    const [key = '', below] = field.path.split('.')
    const place = below === undefined ? after : health
    const value = readValue(field, said(field.path).trim())
    if (value === undefined) delete place[below ?? key]
    else place[below ?? key] = value
  }
  return { ...after, ...(Object.keys(health).length > 0 && { healthcheck: health }) } as ServiceConfig
}

function readValue({ kind, path }: ServiceField, text: string): unknown {
  if (text === '') return undefined
  if (kind === 'number') return Number(text)
  if (kind === 'seconds') return Math.round(Number(text) * 1000)
  if (kind === 'lines') return text.split('\n').flatMap(readLine)
  return path === 'exposed' ? text === 'true' : text
}

function readLine(line: string): (string | number)[] {
  const text = line.trim()
  if (text === '') return []
  return [/^\d+$/.test(text) ? Number(text) : text]
}

function valueAt(config: Loose, path: string): unknown {
  const [key = '', below] = path.split('.')
  const value = config[key]
  return below === undefined ? value : (value as Loose | undefined)?.[below]
}
