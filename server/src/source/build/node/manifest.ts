import { Refusal } from '../../../errors.ts'
import type { Look } from '../look.ts'

type Manifest = {
  name?: string
  main?: string
  type?: string
  packageManager?: string
  engines?: Record<string, string>
  scripts?: Record<string, string>
  workspaces?: string[] | { packages?: string[] }
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

/** A package.json with what is asked of it most. */
export type NodePackage = {
  look: Look
  manifest: Manifest
  /** Everything it depends on, for development too, with the range that is asked for. */
  dependencies: ReadonlyMap<string, string>
  scripts: ReadonlyMap<string, string>
}

export async function openPackage(look: Look): Promise<NodePackage | null> {
  const manifest = await look.json<Manifest>('package.json')
  if (manifest === null) return null
  if (typeof manifest !== 'object' || Array.isArray(manifest)) throw notAnObject(look.folder)
  const { dependencies, devDependencies, optionalDependencies, scripts } = manifest
  return {
    look,
    manifest,
    dependencies: new Map([...texts(optionalDependencies), ...texts(devDependencies), ...texts(dependencies)]),
    scripts: new Map(texts(scripts)),
  }
}

const MOST_TEXT = 10_000

/** Only what is text of a sensible length: a manifest is whatever someone wrote. */
export const texts = (record: Record<string, string> | undefined): [string, string][] =>
  Object.entries(record ?? {}).filter(([, value]) => typeof value === 'string' && value.length <= MOST_TEXT)

/** `15` of `^15.2.0`; null where the range names no version. */
export const majorOf = (range: string): string | null => /\d+/.exec(range)?.[0] ?? null

/** "next 15", or "next" where the range names no version. */
export function named(name: string, { dependencies }: NodePackage): string {
  const major = majorOf(dependencies.get(name) ?? '')
  return major === null ? name : `${name} ${major}`
}

const CONFIG_ENDINGS = ['ts', 'mts', 'js', 'mjs', 'cjs']

/** The text of `name.config.js` in whichever of its spellings, without comments; '' where there is none. */
export async function configText(look: Look, ...stems: string[]): Promise<string> {
  const path = look.first(...stems.flatMap((stem) => CONFIG_ENDINGS.map((ending) => `${stem}.${ending}`)))
  const text = path === undefined ? null : await look.text(path)
  return withoutComments(text ?? '')
}

const MOST_CONFIG = 128 * 1024
/** Strings first: a pattern such as 'src/**' is not the beginning of a comment. Each kind reads on to its end once. */
const STRING_OR_COMMENT =
  /'(?:[^'\\\n]|\\.)*'?|"(?:[^"\\\n]|\\.)*"?|`(?:[^`\\]|\\.)*`?|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?/g

const withoutComments = (text: string) =>
  text.length > MOST_CONFIG ? '' : text.replace(STRING_OR_COMMENT, (token) => (token.startsWith('/') ? ' ' : token))

const notAnObject = (folder: string) =>
  new Refusal('nothing_to_build', `${folder === '' ? '' : `${folder}/`}package.json is not an object.`, {
    hint: 'Correct package.json and try again.',
  })
