import { expect, test } from 'vitest'
import { browserInWords } from './browser-in-words.ts'

test('a browser that says that it is several is called by the one it is', () => {
  const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36'
  const phone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 Version/26.0 Safari/604.1'
  expect([chrome, `${chrome} Edg/150.0`, phone].map(browserInWords)).toEqual([
    'Chrome on Linux',
    'Edge on Linux',
    'Safari on iOS',
  ])
})

test('what nobody knows is shown as it is, and what says nothing is said to say nothing', () => {
  expect(browserInWords('own-script/1.0')).toBe('own-script/1.0')
  expect(browserInWords(null)).toBe('Something that did not say what it is')
})
