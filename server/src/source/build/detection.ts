/** How a source becomes something that runs. */
export type Strategy = 'compose' | 'monorepo' | 'dockerfile' | 'server' | 'static'

/**
 * `high`: the source says so itself. `medium`: it follows from what such sources look like. `low`: a guess that should be
 * looked at before it is deployed.
 */
type Confidence = 'high' | 'medium' | 'low'

/** What one deployable part of a source is, and why we think so. Commands are null where nothing needs to run. */
export type Answer = {
  strategy: Strategy
  language: string | null
  framework: string | null
  packageManager: string | null
  installCommand: string | null
  buildCommand: string | null
  startCommand: string | null
  outputDirectory: string | null
  port: number | null
  because: string[]
  warnings: string[]
  confidence: Confidence
}

/** What someone wants otherwise than it was found. */
export type Choices = {
  installCommand?: string | undefined
  buildCommand?: string | undefined
  startCommand?: string | undefined
  outputDirectory?: string | undefined
  port?: number | undefined
  /** Serve what the build leaves instead of starting anything. */
  files?: boolean
  /** Names of secrets that the commands see while the image is built; no part of it. */
  secrets?: string[]
}

/** An answer with the way to its image. */
export type Found = Answer & {
  /** Text of a Dockerfile for it; null where the source has one of its own, or is no single image. */
  recipe: ((choices: Choices) => string) | null
  /** The Dockerfile of the source, from where the image is built. */
  dockerfilePath?: string
  /** Where the image is built from; the folder itself when not said. A workspace's package needs the whole of it. */
  context?: string
}

/** One part of a source with several. */
export type ServiceFound = Found & { name: string; rootDirectory: string | null; image: string | null }

export type Detection = Found & { services: ServiceFound[] }

type Given = Pick<Answer, 'strategy' | 'because'> & Partial<Found>

/** Fills in what a stack has nothing to say about. */
export const found = (given: Given): Found => ({
  language: null,
  framework: null,
  packageManager: null,
  installCommand: null,
  buildCommand: null,
  startCommand: null,
  outputDirectory: null,
  port: null,
  warnings: [],
  confidence: 'high',
  recipe: null,
  ...given,
})

/** The text of a Dockerfile, for the platform's builder or for someone who wants to go on from there. */
export function dockerfileOf(one: Found, choices: Choices = {}): string | null {
  if (one.recipe === null) return null
  const what = [one.framework, one.language, one.packageManager].filter((word) => word !== null).join(', ')
  return `# Made by Slipway for ${what}. Save it as Dockerfile to build it your own way.\n${one.recipe(choices)}`
}

/** The same, without the way to its image: what may be shown and compared. */
export function answerOf(one: Found): Answer {
  const { recipe: _, dockerfilePath: __, context: ___, ...answer } = one
  return answer
}
