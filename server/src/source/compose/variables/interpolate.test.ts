// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are what is tested
import { describe, expect, it } from 'vitest'
import { Budget } from '../limits.ts'
import { interpolate } from './interpolate.ts'

const VARIABLES: Record<string, string> = { SET: 's', EMPTY: '', BRACED: '${SET}' }

function fill(text: string): { value: string; missing: string[] } {
  const missing: string[] = []
  const value = interpolate(text, {
    lookup: (name) => (Object.hasOwn(VARIABLES, name) ? VARIABLES[name] : undefined),
    place: { file: 'compose.yaml', path: ['services', 'a', 'image'] },
    budget: new Budget(),
    missing: (name) => missing.push(name),
  })
  return { value, missing }
}

describe('variables', () => {
  it.each([
    ['$SET ${SET} $SET$SET', 's s ss'],
    ['${SET:-d} ${EMPTY:-d} ${GONE:-d}', 's d d'],
    ['${SET-d}|${EMPTY-d}|${GONE-d}', 's||d'],
    ['${SET:+p}|${EMPTY:+p}|${GONE:+p}', 'p||'],
    ['${SET+p}|${EMPTY+p}|${GONE+p}', 'p|p|'],
    ['${SET:?e} ${EMPTY?e}', 's '],
    ['${GONE:-${ALSO:-${SET}}}x', 'sx'],
    ['$$SET $${SET} $$$SET', '$SET ${SET} $s'],
    ['5$ $5 $-', '5$ $5 $-'],
    ['${GONE:-{"a":{"b":1}}} end', '{"a":{"b":1}} end'],
    ['$BRACED', '${SET}'],
  ])('%s becomes %s', (text, value) => expect(fill(text).value).toBe(value))

  it('tells of a variable that is not set, but not of one with a default', () => {
    expect(fill('$GONE ${GONE:-x} ${LOST}').missing).toEqual(['GONE', 'LOST'])
  })

  it('names the place and the variable that is required, but shows no values', () => {
    expect(() => fill('${GONE:?needs $SET}')).toThrow(/services\.a\.image: the variable GONE is required.*needs \$SET/)
  })

  it.each(['${', '${}', '${A b}', '${A:x}', '${1}', '${A:-x', '${A:-x\n}'])('refuses %j', (text) => {
    expect(() => fill(text)).toThrow(/cannot|not a variable/)
  })

  it('refuses defaults inside of defaults without end', () => {
    expect(() => fill(`${'${A:-'.repeat(100)}${'}'.repeat(100)}`)).toThrow(/nested deeper/)
  })
})
