// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Dockerfiles write their variables like this.
import { describe, expect, test } from 'vitest'
import { processorMs } from '../../../../test/processor.ts'
import { objectTo } from './images.ts'

describe('an image of the platform is refused', () => {
  test.for<[how: string, line: number, dockerfile: string, args?: Record<string, string>]>([
    ['as a base', 1, 'FROM slipway.invalid/prj_a:x'],
    ['as a base of a platform', 1, 'FROM --platform=linux/amd64 slipway.invalid/prj_a:x AS base'],
    ['in other letters and quotes', 1, 'from "Slipway.Invalid/prj_a:x"'],
    ['below the public registry', 1, 'FROM docker.io/slipway.invalid/prj_a:x'],
    ['below its other name', 2, 'FROM a\nCOPY --from=index.docker.io/slipway.invalid/prj_a:x / /'],
    ['below it, by a variable', 2, 'ARG A=docker.io\nFROM $A/slipway.invalid/prj_a:x'],
    ['to copy from', 2, 'FROM a\nCOPY --from=slipway.invalid/prj_a:x / /'],
    ['to copy from, escaped', 2, 'FROM a\nCOPY --fr\\om=slipway.in\\valid/prj_a:x / /'],
    ['to mount', 2, 'FROM a\nRUN --mount=type=bind,target=/m,from=slipway.invalid/prj_a:x ls'],
    ['to mount, quoted', 2, 'FROM a\nRUN --mount=type=bind,"from=slipway.invalid/prj_a:x",target=/m ls'],
    ['to mount, as the first option', 2, 'FROM a\nRUN --mount=from=slipway.invalid/prj_a:x,target=/m ls'],
    ['for those who build on it', 2, 'FROM a\nONBUILD COPY --from=slipway.invalid/prj_a:x / /'],
    ['over several lines', 1, 'FR\\\nOM slipway.in\\\n# comment\n\nvalid/prj_a:x'],
    ['over several lines, with the other escape', 2, '# escape=`\nFROM slip`\nway.invalid/prj_a:x'],
    ['after what looks like a here-document', 4, 'FROM a\nRUN <<"EOF\\"\nEOF\\\nFROM slipway.invalid/prj_a:x'],
    ['with Windows line ends and a byte order mark', 1, '\uFEFFFROM slipway.invalid/prj_a:x\r\n'],
    ['through a default', 2, 'ARG BASE=slipway.invalid/prj_a:x\nFROM $BASE'],
    ['through defaults in defaults', 3, 'ARG A=slipway\nARG B=${A}.invalid/prj_a\nFROM ${B}:x'],
    ['through an argument', 2, 'ARG BASE=node\nFROM $BASE', { BASE: 'slipway.invalid/prj_a:x' }],
    ['through a fallback', 2, 'ARG BASE\nFROM ${BASE:-slipway.invalid/prj_a:x}'],
    ['through an alternative', 2, 'ARG BASE=1\nFROM ${BASE:+slipway.invalid/prj_a:x}'],
    ['beside an empty variable', 1, 'FROM slipway${NOTHING}.invalid/prj_a:x'],
    ['through a pattern that cannot be told', 2, 'ARG BASE=-slipway.invalid/prj_a\nFROM ${BASE#-}'],
    ['through values in circles', 3, 'ARG A=$B\nARG B=$A\nFROM $A'],
  ])('%s', ([, line, dockerfile, args]) => {
    expect(objectTo(dockerfile, args ?? {})).toMatchObject({ line })
  })
})

describe('what is nobody else’s is let through', () => {
  test.for<[how: string, dockerfile: string, args?: Record<string, string>]>([
    ['an ordinary file', '# syntax=docker/dockerfile:1.7\nFROM node:24 AS a\nRUN npm ci\nFROM a\nCOPY --from=a /x /y'],
    ['a base by argument', 'ARG BASE\nFROM ${BASE}', { BASE: 'node:24' }],
    ['a pattern behind a name', 'ARG V=24.1\nFROM node:${V%%.*}'],
    ['SQL in a here-document', 'FROM a\nRUN <<EOF\nselect *\nFROM $TABLE\nEOF'],
    ['our name in a command', 'FROM a\nRUN ping slipway.invalid/x\nENV HOST=slipway.invalid/x'],
    ['a comment about syntax', 'FROM a\n# syntax = whatever'],
  ])('%s', ([, dockerfile, args]) => {
    expect(objectTo(dockerfile, args ?? {})).toBeNull()
  })
})

describe('a program of the tenant’s choice as frontend is refused', () => {
  test.for([
    '# syntax=evil.example/frontend\nFROM a',
    '#SYNTAX = docker/dockerfile-upstream\nFROM a',
    '#!/bin/x\n\n# escape=`\n# syntax=evil\nFROM a',
    '// syntax=evil\nFROM a',
    '{"syntax": "evil"}',
    '# syntax=docker/dockerfile@sha256:1\nFROM a',
  ])('%j', (dockerfile) => {
    expect(objectTo(dockerfile, {})).toMatchObject({ message: expect.any(String) })
  })
})

test.for([
  ['continuations', '\\\n'.repeat(500_000)],
  ['long instructions', 'RUN x \\\n'.repeat(100_000)],
  ['values in values', `${'ARG A=$A$B$C\nARG B=$A$C$A\nARG C=$B$A\n'.repeat(100)}FROM $A\n`],
  ['braces', `FROM ${'${'.repeat(500_000)}`],
  ['variables', `FROM ${'$A'.repeat(2000)}\n`.repeat(200)],
  ['one word', `ENV ${'a'.repeat(1_000_000)}`],
] as const)('a file of nothing but %s is judged in two seconds of the processor', async ([, dockerfile]) => {
  expect(await processorMs(() => objectTo(dockerfile, { A: 'a', B: 'b' }))).toBeLessThan(2000)
})
