import { type Choices, type Found, found } from '../detection.ts'
import type { Look } from '../look.ts'
import { procfileStart } from '../procfile.ts'
import type { ServerShape, Shape } from './framework.ts'
import { fullStack } from './full-stack.ts'
import { layoutOf, type Place } from './layout.ts'
import { type NodePackage, named, openPackage } from './manifest.ts'
import { nodeDockerfile } from './node-dockerfile.ts'
import { plainServer } from './plain-server.ts'
import { startScript } from './scripts.ts'
import { serverLibrary } from './servers.ts'
import { sites } from './sites.ts'

/** What a package is, before it is known how it lies in its source. */
export type Kind = { slug: string | null; shape: Shape; because: string[] }

/** What a package.json is the beginning of; null where it starts nothing and builds no pages, as a library. */
export async function detectNode(look: Look, place: Place | null = null): Promise<Found | null> {
  const pkg = place?.member ?? (await openPackage(look))
  if (pkg === null) return null
  const kind = (await byFramework(pkg)) ?? (await plainServer(pkg, place === null))
  return kind && describe(pkg, place, kind)
}

/** The whole answer for a package whose kind is known; `build` replaces how it would be built. */
export async function describe(pkg: NodePackage, place: Place | null, kind: Kind, build?: string): Promise<Found> {
  const { slug, shape } = kind
  const layout = { ...(await layoutOf(pkg, place, shape)), ...(build !== undefined && { build }) }
  const { manager, node } = layout
  const reasons = [...kind.because, ...(shape.because ?? []), manager.because, node.because, place?.workspace.because]
  const warnings = [...(shape.warnings ?? []), ...(layout.install === null ? [] : manager.warnings), node.warning]
  const served = { outputDirectory: shape.kind === 'site' ? shape.output : null }
  return found({
    strategy: shape.kind === 'site' ? 'static' : 'server',
    language: languageOf(pkg, place, shape),
    framework: slug,
    packageManager: manager.name,
    installCommand: layout.install,
    buildCommand: layout.build,
    ...(shape.kind === 'site' ? { ...served, port: 8080 } : { startCommand: shape.start, port: shape.port }),
    because: reasons.filter((line) => line !== null && line !== undefined),
    warnings: warnings.filter((line) => line !== undefined),
    confidence: shape.confidence ?? 'high',
    recipe: (choices: Choices) => nodeDockerfile(layout, shape, choices),
    ...(place && { context: place.workspace.root.look.folder }),
  })
}

async function byFramework(pkg: NodePackage): Promise<Kind | null> {
  for (const { slug, packages, shape: shapeOf } of [...fullStack, ...sites]) {
    const found = packages.find((name) => pkg.dependencies.has(name))
    const shape = found === undefined ? null : await shapeOf(pkg)
    if (found === undefined || shape === null) continue
    const because = [`package.json has ${named(found, pkg)}`]
    return { slug, shape: await startedOtherwise(pkg, shape, because), because }
  }
  return null
}

/** A Procfile, or a start script that is meant for production, knows better than the framework's custom. */
async function startedOtherwise(pkg: NodePackage, shape: Shape, because: string[]): Promise<Shape> {
  const procfile = await procfileStart(pkg.look)
  const script = startScript(pkg)
  const own = procfile?.command ?? (script?.command || undefined)
  if (own === undefined) return shape
  if (shape.kind === 'server') {
    // What the build leaves is all there is; another command would not find its files.
    if (shape.only || (shape.ownStart && !procfile)) return shape
    if (procfile) because.push(procfile.because)
    return { ...shape, start: own }
  }
  if (!/^(?:[A-Z_]+=\S+ )*(?:node|tsx|bun|pm2-runtime)\b/.test(own)) return shape
  because.push(procfile?.because ?? script?.because ?? '')
  const library = serverLibrary(pkg.dependencies)
  if (library) because.push(`package.json has ${named(library.package, pkg)}`)
  const { output: _, fallback: __, ...rest } = shape
  return { ...rest, kind: 'server', start: own, port: 3000 } satisfies ServerShape & Shape
}

function languageOf({ look, dependencies }: NodePackage, place: Place | null, shape: Shape): string {
  const started = shape.kind === 'server' && /\.[cm]?ts\b/.test(shape.start)
  const typed = started || dependencies.has('typescript') || look.has('tsconfig.json')
  return typed || (place?.workspace.root.dependencies.has('typescript') ?? false) ? 'typescript' : 'javascript'
}
