import type { NodePackage } from './manifest.ts'

/** A file or folder that a build leaves and the running image needs, from the package's folder. */
export type Part = {
  from: string
  to: string
  /** `to` counts from the root of the workspace. */
  fromRoot?: true
}

export type ServerShape = {
  kind: 'server'
  /** For a package without a build script; null: nothing to build. */
  build: string | null
  start: string
  port: number
  /** All that runs; without it, the whole package and what it depends on. */
  only?: Part[]
  buildEnv?: Record<string, string>
  runEnv?: Record<string, string>
}

export type SiteShape = {
  kind: 'site'
  build: string | null
  output: string
  /** What unknown paths get: the application itself, or the page for "not found". */
  fallback: 'spa' | 'pages'
  buildEnv?: Record<string, string>
}

export type Shape = (ServerShape | SiteShape) & {
  /** A folder of the package that makes the next build quicker. */
  buildCache?: string
  because?: string[]
  warnings?: string[]
  confidence?: 'medium' | 'low'
  /** Replaces the framework's own one, where a start script would start something else. */
  ownStart?: true
}

export type Framework = {
  slug: string
  /** One of these in package.json makes it a candidate. */
  packages: string[]
  /** null: it is not this one after all. */
  shape(pkg: NodePackage): Promise<Shape | null>
}

/** The output folder that a configuration names itself. */
export const saidIn = (config: string, key: string): string | null =>
  new RegExp(`\\b${key}\\s*:\\s*['"\`](?:\\./)?([\\w./-]+?)/?['"\`]`).exec(config)?.[1] ?? null
