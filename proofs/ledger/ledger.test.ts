import { expect, test } from 'vitest'
import { summary } from './every.ts'
import { namedIn } from './subject.ts'

test('only proofs at their full size are proved: what was smaller, missed or not run to its end is named', () => {
  const ended = [
    { name: 'api', verdict: 'PROVED' },
    { name: 'queue', verdict: 'PARTIAL' },
    { name: 'seal', verdict: 'MISSED' },
    { name: 'tls', verdict: 'BROKEN' },
  ] as const
  expect(summary([...ended])).toEqual([
    'missed: seal',
    'not run to the end: tls',
    'at a smaller size, which claims nothing: queue',
    '1 of 4 are proved',
  ])
})

test('a change of any file that a proof starts, reads or deploys makes it stale', () => {
  const listed = new Set([
    'proofs/parts/apps/shop.mjs',
    'proofs/parts/one/keeper.mjs',
    'proofs/parts/one/two.ts',
    'proofs/parts/one/corpus/a.cases',
    'proofs/parts/one/corpus/deep/b.cases',
    'proofs/parts/one/README.md',
    'proofs/parts/other/unnamed.c',
    'server/test/http/access/matrix.test.ts',
    'server/src/serve.ts',
  ])
  const source = `
    import { two } from './two.ts'
    const folder = join(import.meta.dirname, 'corpus')
    const shop = readFileSync(join(import.meta.dirname, '../apps/shop.mjs'))
    const keeper = readFileSync(join(here, 'keeper.mjs'))
    const matrix = 'server/test/http/access/matrix.test.ts'
    const product = 'server/src/serve.ts'
    const root = resolve(import.meta.dirname, '../..')
  `
  expect(namedIn('proofs/parts/one/main.ts', source, listed).sort()).toEqual([
    'proofs/parts/apps/shop.mjs',
    'proofs/parts/one/corpus/a.cases',
    'proofs/parts/one/corpus/deep/b.cases',
    'proofs/parts/one/keeper.mjs',
    'proofs/parts/one/two.ts',
    'server/test/http/access/matrix.test.ts',
  ])
})
