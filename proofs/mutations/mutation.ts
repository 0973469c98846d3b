/** A deliberate fault, such as somebody could make, and what must turn red with it. */
export type Mutation = {
  name: string
  /** The promise that it breaks, and which page or proof makes it. */
  guards: string
  file: string
  /** Occurs exactly once in the file. */
  find: string
  replace: string
  red: ByTest | ByProof
}

export type ByTest = { test: string; title: string }

/** `says`: what the proof prints of this very fault, since a busy machine can turn it red as well. */
export type ByProof = { prove: string; says: RegExp; sizes?: Record<string, string> }

/** The source as it would be; undefined when it has no such place any more, or more than one. */
export function mutated(source: string, { find, replace }: Pick<Mutation, 'find' | 'replace'>): string | undefined {
  const [before, after, ...more] = source.split(find)
  return before === undefined || after === undefined || more.length > 0 ? undefined : before + replace + after
}
