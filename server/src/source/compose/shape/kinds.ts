/**
 * What may stand in a place of a compose file. One table of shapes says it all: what is accepted, which text becomes a
 * number or a flag once variables are filled in, and how a value is written in the normal form.
 */
export type Shape = Leaf | ListShape | DictShape | EitherShape

export type Type = 'text' | 'flag' | 'integer' | 'number' | 'nothing'

export type Leaf = {
  kind: 'leaf'
  takes: readonly Type[]
  form: 'text' | 'flag' | 'integer' | 'float' | 'size' | 'duration'
  /** Text here is read as a flag or a number, quoted or not. */
  cast: boolean
  /** Zero and false are written too: they say something else than silence. */
  kept: boolean
  words?: readonly string[]
  least?: number
  most?: number
}

export type ListShape = { kind: 'list'; of: Shape; unique: boolean }

export type DictShape = {
  kind: 'dict'
  fields: Record<string, Shape>
  /** Keys that people choose, such as the names of services. */
  named?: Named
  required?: readonly string[]
  nullable?: boolean
  /** Takes `x-` keys. */
  open: boolean
}

type Named = { like: RegExp; shape: Shape; empty: 'nothing' | 'empty text' | 'left out' }

/** The one that takes the value's kind is the one that must hold. */
export type EitherShape = {
  kind: 'either'
  of: readonly Shape[]
  /** The normal form of both spellings. */
  as: 'the longer' | 'pairs' | 'variables' | 'words' | 'hosts' | 'test'
}

const leaf = (takes: readonly Type[], form: Leaf['form'], more: Partial<Leaf> = {}): Leaf => ({
  kind: 'leaf',
  takes,
  form,
  cast: form === 'flag' || form === 'integer' || form === 'float',
  kept: form === 'duration',
  ...more,
})

export const text = leaf(['text'], 'text')
export const textOrNumber = leaf(['text', 'number'], 'text')
export const oneOf = (...words: string[]) => leaf(['text'], 'text', { words })
export const flag = leaf(['flag', 'text'], 'flag')
export const flagOnly = leaf(['flag'], 'flag', { cast: false })
export const integer = leaf(['integer', 'text'], 'integer')
export const between = (least: number, most: number) => leaf(['integer', 'text'], 'integer', { least, most })
export const whole = between(0, Number.MAX_SAFE_INTEGER)
export const amount = leaf(['number', 'text'], 'integer')
export const float = leaf(['number', 'text'], 'float')
export const size = leaf(['number', 'text'], 'size')
export const sizeText = leaf(['text'], 'size')
export const duration = leaf(['text'], 'duration')
export const kept = (shape: Leaf): Leaf => ({ ...shape, kept: true })
export const nothing = leaf(['nothing'], 'text')

export const list = (of: Shape, unique = false): ListShape => ({ kind: 'list', of, unique })
export const uniqueTexts = list(text, true)
export const texts = list(text)
export const either = (...of: Shape[]): EitherShape => ({ kind: 'either', of, as: 'the longer' })

export const dict = (fields: Record<string, Shape>, more: Partial<DictShape> = {}): DictShape => ({
  kind: 'dict',
  fields,
  open: true,
  ...more,
})

export const named = (like: RegExp, shape: Shape, empty: Named['empty'] = 'left out'): DictShape => ({
  kind: 'dict',
  fields: {},
  open: false,
  named: { like, shape, empty },
})

/** Keys and values of the user's own: `driver_opts` and the like. */
export const options = (...types: Type[]) => named(/.+/s, leaf(types, 'text', { kept: true }), 'empty text')

const anyPairs = options('text', 'number', 'flag', 'nothing')
/** A mapping, or a list of `key=value`. */
export const pairs: EitherShape = { kind: 'either', of: [anyPairs, uniqueTexts], as: 'pairs' }
/** The same, where a key without a value is filled in from the environment. */
export const variables: EitherShape = { kind: 'either', of: [anyPairs, uniqueTexts], as: 'variables' }
export const words: EitherShape = { kind: 'either', of: [nothing, text, texts], as: 'words' }
export const test: EitherShape = { kind: 'either', of: [text, texts], as: 'test' }
export const hosts: EitherShape = {
  kind: 'either',
  of: [named(/.+/s, either(text, texts)), uniqueTexts],
  as: 'hosts',
}
export const textOrTexts = either(text, uniqueTexts)
export const NAME = /^[a-zA-Z0-9._-]+$/
