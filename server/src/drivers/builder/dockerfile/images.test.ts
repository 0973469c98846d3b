// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Dockerfiles write their variables like this.
import { describe, expect, test } from 'vitest'
import { processorMs } from '../../../../../test-kit/processor.ts'
import { judge } from './images.ts'

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
    expect(judge(dockerfile, args ?? {}, 'names')).toMatchObject({ objection: { line } })
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
    expect(judge(dockerfile, args ?? {}, 'names')).toMatchObject({ addresses: [] })
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
    expect(judge(dockerfile, {}, 'names')).toMatchObject({ objection: { message: expect.any(String) } })
  })
})

test.for([
  ['continuations', '\\\n'.repeat(500_000)],
  ['long instructions', 'RUN x \\\n'.repeat(100_000)],
  ['values in values', `${'ARG A=$A$B$C\nARG B=$A$C$A\nARG C=$B$A\n'.repeat(100)}FROM $A\n`],
  ['braces', `FROM ${'${'.repeat(500_000)}`],
  ['variables', `FROM ${'$A'.repeat(2000)}\n`.repeat(200)],
  ['one word', `ENV ${'a'.repeat(1_000_000)}`],
  ['things to add', 'ADD https://a.example/$A$B x\n'.repeat(20_000)],
] as const)('a file of nothing but %s is judged in two seconds of the processor', async ([, dockerfile]) => {
  expect(await processorMs(() => judge(dockerfile, { A: 'a', B: 'b' }, 'names'))).toBeLessThan(2000)
})

describe('an address of the server itself is not fetched by ADD', () => {
  test.for<[how: string, dockerfile: string, args?: Record<string, string>]>([
    ['loopback', 'ADD http://127.0.0.1:9911/y /y'],
    ['loopback in one number', 'ADD http://2130706433/y /y'],
    ['loopback in octal', 'ADD http://0177.0.0.1/y /y'],
    ['loopback in hexadecimal', 'ADD http://0x7f.1/y /y'],
    ['loopback in IPv6', 'ADD http://[::1]:80/y /y'],
    ['loopback as a mapped address', 'ADD http://[::ffff:127.0.0.1]/y /y'],
    ['by name', 'ADD http://localhost/y /y'],
    ['by name with a final dot', 'ADD http://LOCALHOST./y /y'],
    ['by a name without a dot', 'ADD http://metadata/y /y'],
    ['by a name of a cloud', 'ADD http://metadata.google.internal/y /y'],
    ['the metadata of a cloud', 'ADD http://169.254.169.254/latest /y'],
    ['a private address', 'ADD https://10.0.0.1/y /y'],
    ['with a user', 'ADD http://a.example@127.0.0.1/y /y'],
    ['in JSON', 'ADD ["http://127.0.0.1/y", "/y"]'],
    ['as the second of several', 'ADD a https://a.example/x http://127.0.0.1/y /y'],
    ['over several lines', 'ADD http://\\\n127.0.0.1/y /y'],
    ['through a variable', 'ARG H=127.0.0.1\nADD http://$H/y /y'],
    ['through an argument', 'ARG U\nADD $U /y', { U: 'http://127.0.0.1/y' }],
    ['through a pattern that cannot be told', 'ARG U\nADD ${U#x} /y'],
    ['through the end of a host', 'ARG U\nADD http://a.example${U#x} /y'],
    ['for those who build on it', 'ONBUILD ADD http://127.0.0.1/y /y'],
    ['by git', 'ADD git://127.0.0.1/x.git /y'],
    ['by git over SSH', 'ADD git@127.0.0.1:x.git /y'],
    ['by ftp', 'ADD ftp://127.0.0.1/x /y'],
  ])('%s', ([, dockerfile, args]) => {
    expect(judge(`FROM a\n${dockerfile}`, args ?? {}, 'names')).toMatchObject({
      objection: { message: expect.any(String) },
    })
  })

  test('public names are, unless none may be', () => {
    const text =
      'FROM a\nARG V=1\nADD https://example.com/a-$V.tgz https://example.org/b /x/\nADD src/ /y\nADD ${V#x}/src /z'
    const addresses = ['https://example.com/a-.tgz', 'https://example.com/a-1.tgz', 'https://example.org/b']
    const named = text.replace(/\nADD \$\{V#x\}.*/, '')
    expect(judge(named, {}, 'names')).toEqual({ addresses, images: ['a'] })
    expect(judge(named, {}, 'none')).toMatchObject({ objection: { line: 3, message: expect.stringContaining('RUN') } })
    expect(judge('FROM a\nADD src/ /y', {}, 'none')).toEqual({ addresses: [], images: ['a'] })
  })
})

test('the images of others that it names are told, without stages and without what a variable leaves open', () => {
  const dockerfile = `ARG BASE=shop/base:1
FROM \${BASE} AS first
FROM scratch
COPY --from=first /a /a
COPY --from=0 /a /b
COPY --from=shop/tool@sha256:${'0'.repeat(64)} /t /t`
  expect(judge(dockerfile, {}, 'names')).toEqual({
    addresses: [],
    images: ['shop/base:1', `shop/tool@sha256:${'0'.repeat(64)}`],
  })
})
