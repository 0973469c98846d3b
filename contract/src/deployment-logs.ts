import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { idOf, timestamp } from './ids.ts'
import { pageOf } from './pages.ts'
import { ServiceName } from './services.ts'

const byId = z.object({ id: idOf('dep') })

const seq = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER)

export const LogLine = z.object({
  seq: z.number().int().nullable().meta({ description: 'number of the event; null for what a running service prints' }),
  ts: timestamp,
  stream: z.enum(['stdout', 'stderr']),
  step: z.string().nullable(),
  service: z.string().nullable(),
  line: z.string(),
  gap: z
    .object({ from: z.number().int(), to: z.number().int() })
    .optional()
    .meta({ description: 'these events are no longer kept; the line says so in words' }),
  release: z
    .object({ deploymentId: idOf('dep'), number: z.number().int() })
    .optional()
    .meta({ description: 'from here on it is this one that prints; the line says so in words' }),
})

const LogPage = pageOf(LogLine).extend({
  before: z
    .number()
    .int()
    .nullable()
    .optional()
    .meta({ description: 'with tail, before and around: what is older is had with this `before`; null: nothing is' }),
})

export const logs = endpoint({
  method: 'GET',
  path: '/api/deployments/:id/logs',
  summary:
    'Recorded output of the build, or with kind=runtime the last lines that the services print; as text all of it, ' +
    'and with follow=true (runtime only) what comes, as text or as server-sent events',
  access: { permission: 'deployment:read' },
  slowMs: 60_000,
  params: byId,
  query: z.object({
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(5000)
      .optional()
      .meta({ description: 'most lines; 1000 if not said, and no limit for the text of a build' }),
    cursor: z.string().max(600).optional(),
    tail: z.coerce
      .number()
      .int()
      .min(1)
      .max(5000)
      .optional()
      .meta({ description: 'the last so many lines of a build' }),
    before: seq.optional().meta({ description: 'the last lines of a build before this event; `limit` of them' }),
    around: seq.optional().meta({ description: 'lines of a build around this event; `limit` of them in all' }),
    kind: z.enum(['build', 'runtime']).default('build'),
    service: ServiceName.optional(),
    format: z.enum(['json', 'text', 'rows']).default('json').meta({
      description:
        'rows: all of it as an array a line, `[seq, ts, stream, step, service, line]` and at a gap `{from, to}` behind that; compressed for those who take gzip',
    }),
    follow: z.enum(['true', 'false']).default('false'),
  }),
  response: LogPage,
  alsoAnswers: ['text/plain', 'text/event-stream', 'application/x-ndjson'],
})

export const projectLogs = endpoint({
  method: 'GET',
  path: '/api/projects/:id/logs',
  summary:
    'The last lines that the services of the active release print; with follow=true what comes, and when another release becomes ' +
    'the active one, what that one prints',
  access: { permission: 'deployment:read' },
  params: z.object({ id: idOf('prj') }),
  query: z.object({
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(5000)
      .optional()
      .meta({ description: 'most lines of before; 1000 if not said' }),
    service: ServiceName.optional(),
    format: z.enum(['json', 'text']).default('json'),
    follow: z.enum(['true', 'false']).default('false'),
  }),
  response: pageOf(LogLine),
  alsoAnswers: ['text/plain', 'text/event-stream'],
})

export const stream = endpoint({
  method: 'GET',
  path: '/api/deployments/:id/stream',
  summary: 'Server-sent events from the start or from ?since=<seq>; ends with an `end` event',
  access: { permission: 'deployment:read' },
  params: byId,
  query: z.object({ since: z.coerce.number().int().min(0).optional() }),
  response: { stream: 'text/event-stream' },
  unlimited:
    'viewers come back all at once when a process restarts, and a browser gives up for good when it is refused',
})
