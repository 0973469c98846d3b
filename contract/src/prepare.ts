import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { idOf } from './ids.ts'
import { inTree } from './services.ts'

const repositoryPart = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^(?!\.{1,2}$)[\w.-]+$/, 'must be a name on a git host')

export const Prepare = z.object({
  source: z.enum(['githost', 'local']),
  owner: repositoryPart.optional().meta({ description: 'githost: who the repository belongs to' }),
  repo: repositoryPart.optional().meta({ description: 'githost: the repository' }),
  branch: z
    .string()
    .trim()
    .min(1)
    .max(250)
    .optional()
    .meta({ description: 'githost: its default branch when not said' }),
  uploadSessionId: idOf('upl').optional(),
  path: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .meta({ description: 'local: a folder on the machine of this instance, where its operator allows that' }),
  rootDirectory: inTree.optional().meta({ description: 'the part of the source that is meant' }),
})
export type Prepare = z.output<typeof Prepare>

const Answer = z.object({
  strategy: z.enum(['compose', 'monorepo', 'dockerfile', 'server', 'static']),
  language: z.string().nullable(),
  framework: z.string().nullable(),
  packageManager: z.string().nullable(),
  installCommand: z.string().nullable(),
  buildCommand: z.string().nullable(),
  startCommand: z.string().nullable(),
  outputDirectory: z.string().nullable(),
  port: z.number().int().nullable(),
  dockerfile: z
    .string()
    .nullable()
    .meta({ description: 'what would be built; null where the source has its own, or is no single image' }),
  because: z.array(z.string()).meta({ description: 'what in the source says so' }),
  warnings: z.array(z.string()),
  confidence: z.enum(['high', 'medium', 'low']),
})

export const Preparation = Answer.extend({
  success: z.literal(true),
  source: z.enum(['githost', 'local']),
  services: z.array(
    Answer.extend({
      name: z.string(),
      rootDirectory: z.string().nullable().meta({ description: 'null: not built from this source' }),
      image: z.string().nullable(),
    }),
  ),
}).meta({ id: 'Preparation' })
export type Preparation = z.output<typeof Preparation>

export const prepare = endpoint({
  method: 'POST',
  path: '/api/deployments/prepare',
  summary: 'What a source is and how it would be built and started, with the reasons; creates nothing',
  access: { permission: 'deployment:write' },
  body: Prepare,
  response: Preparation,
  example: { source: 'local', uploadSessionId: idOf('upl').meta()?.example },
  unaudited: 'it only looks at the source: nothing is created or changed',
})
