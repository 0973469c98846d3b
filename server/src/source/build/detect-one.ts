import type { Found } from './detection.ts'
import type { Look } from './look.ts'
import { detectNode } from './node/detect-node.ts'
import type { Place } from './node/layout.ts'
import { detectDotnet } from './stacks/dotnet.ts'
import { detectElixir } from './stacks/elixir.ts'
import { detectGo } from './stacks/go.ts'
import { detectJava } from './stacks/java.ts'
import { detectPhp } from './stacks/php.ts'
import { detectPython } from './stacks/python.ts'
import { detectRuby } from './stacks/ruby.ts'
import { detectRust } from './stacks/rust.ts'
import { detectStatic } from './stacks/static.ts'

/** Frameworks that keep a package.json only for their pages: what they are wins over what that would be. */
const WITH_ASSETS = new Set(['laravel', 'symfony', 'rails', 'phoenix', 'django', 'spring-boot', 'aspnetcore'])

const LANGUAGES = [detectGo, detectRust, detectPython, detectPhp, detectRuby, detectJava, detectDotnet, detectElixir]

/** What a folder is as one program: a framework before a language, a language before mere pages. */
export async function detectOne(look: Look, place: Place | null = null): Promise<Found | null> {
  const others = (await Promise.all(LANGUAGES.map((detect) => detect(look)))).filter((one) => one !== null)
  const owner = others.find(({ framework }) => framework !== null && WITH_ASSETS.has(framework))
  if (owner) return owner
  const node = await detectNode(look, place)
  const [first, ...rest] = [node, ...others].filter((one) => one !== null)
  if (first === undefined) return look.has('index.html') ? detectStatic(look) : null
  if (rest.length === 0) return first
  const also = `It also looks like ${rest.map(({ language }) => language).join(' and ')}; name a folder or add a Dockerfile if that is meant.`
  return { ...first, warnings: [...first.warnings, also], confidence: first.confidence === 'high' ? 'medium' : 'low' }
}
